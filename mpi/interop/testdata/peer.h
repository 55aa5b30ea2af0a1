/* What the files of the interpreter share. The same scripts are run by the Go interpreter beside it: see generate_test.go. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { I32, I64, F32, F64, U8, U16, INTS, DOUBLE_INT, MATRIX };
enum { PLAIN, SUM, PROD, MIN, MAX, BAND, BOR, BXOR, LAND, LOR, LXOR, MINLOC, MAXLOC, REPLACE, PRODUCT };

extern FILE *out;
extern int step, me;		/* number of the line; rank in the world */
extern MPI_Comm comms[64];
extern const char *line;	/* what is left of it */

int number(void);		/* the next word */

void start_data(void);
void end_data(void);
MPI_Datatype type_of(int type);
size_t extent(int type);
MPI_Op op_of(int op);
uint64_t mix(uint64_t x);
void set_one(void *to, int type, int op, int who, int salt, uint64_t i);
void *filled(int type, int op, int who, int salt, size_t n);	/* to be freed */
uint64_t digest(const void *p, int type, size_t n);
int64_t integer(const void *p, int type);

void messages(MPI_Comm c);
void persistent(MPI_Comm c);
void exchange(MPI_Comm c);
void flood(MPI_Comm c);
void collective(MPI_Comm c);
void window(MPI_Comm c);
void grid(MPI_Comm c);
void duplicate(void);
void split(void);
void part(void);
