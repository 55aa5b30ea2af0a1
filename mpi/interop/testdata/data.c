/* Elements: values of each type that depend on the line, the rank and the place, and digests of them. */
#include "peer.h"

struct ints { int value, index; };
struct double_int { double value; int index; };
struct matrix { uint64_t at[4]; };

static MPI_Datatype matrix_type;
static MPI_Op product_op;

static void product(void *in, void *inout, int *n, MPI_Datatype *type)
{
	struct matrix *a = in, *b = inout;

	(void)type;
	for (int i = 0; i < *n; i++) {	/* b = a b: a comes from lower ranks */
		struct matrix c = {{
			a[i].at[0] * b[i].at[0] + a[i].at[1] * b[i].at[2], a[i].at[0] * b[i].at[1] + a[i].at[1] * b[i].at[3],
			a[i].at[2] * b[i].at[0] + a[i].at[3] * b[i].at[2], a[i].at[2] * b[i].at[1] + a[i].at[3] * b[i].at[3],
		}};
		b[i] = c;
	}
}

void start_data(void)
{
	MPI_Type_contiguous(4, MPI_UINT64_T, &matrix_type);
	MPI_Type_commit(&matrix_type);
	MPI_Op_create(product, 0, &product_op);
}

void end_data(void)
{
	MPI_Op_free(&product_op);
	MPI_Type_free(&matrix_type);
}

MPI_Datatype type_of(int type)
{
	switch (type) {
	case I32: return MPI_INT32_T;
	case I64: return MPI_INT64_T;
	case F32: return MPI_FLOAT;
	case F64: return MPI_DOUBLE;
	case U8: return MPI_UINT8_T;
	case U16: return MPI_UINT16_T;
	case INTS: return MPI_2INT;
	case DOUBLE_INT: return MPI_DOUBLE_INT;
	}
	return matrix_type;
}

size_t extent(int type)
{
	static const size_t sizes[] = {4, 8, 4, 8, 1, 2, sizeof(struct ints), sizeof(struct double_int), sizeof(struct matrix)};

	return sizes[type];
}

MPI_Op op_of(int op)
{
	switch (op) {
	case SUM: return MPI_SUM;
	case PROD: return MPI_PROD;
	case MIN: return MPI_MIN;
	case MAX: return MPI_MAX;
	case BAND: return MPI_BAND;
	case BOR: return MPI_BOR;
	case BXOR: return MPI_BXOR;
	case LAND: return MPI_LAND;
	case LOR: return MPI_LOR;
	case LXOR: return MPI_LXOR;
	case MINLOC: return MPI_MINLOC;
	case MAXLOC: return MPI_MAXLOC;
	case REPLACE: return MPI_REPLACE;
	}
	return product_op;
}

uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* Results of sums and products are exact in all types; of small unsigned ones Open MPI makes sums that do not wrap,
 * and MPICH takes the large ones for negative. */
static int64_t value(int op, uint64_t h, int type)
{
	static const int64_t factors[] = {1, 2, -1}, naturals[] = {1, 2, 1};
	int inexact = type == F32 || type == F64, natural = type == U8 || type == U16;

	switch (op) {
	case SUM: return natural ? (int64_t)(h % 28) : (int64_t)(h % 201) - 100;
	case PROD: return natural ? naturals[h % 3] : factors[h % 3];
	case MIN: case MAX:
		if (natural)
			return h % 128;
		break;
	case LAND: case LOR: case LXOR: return h % 3;
	}
	return inexact ? (int64_t)(h % 2001) - 1000 : (int64_t)h;
}

void set_one(void *to, int type, int op, int who, int salt, uint64_t i)
{
	uint64_t h = mix(((((uint64_t)step * 64 + who) * 64 + salt) << 32) + i);
	int64_t v = value(op, h, type);

	switch (type) {
	case I32: *(int32_t *)to = v; break;
	case I64: *(int64_t *)to = v; break;
	case F32: *(float *)to = v; break;
	case F64: *(double *)to = v; break;
	case U8: *(uint8_t *)to = v; break;
	case U16: *(uint16_t *)to = v; break;
	case INTS: *(struct ints *)to = (struct ints){h % 5, h / 8 % 100}; break;
	case DOUBLE_INT: *(struct double_int *)to = (struct double_int){h % 5, h / 8 % 100}; break;
	case MATRIX:
		for (int k = 0; k < 4; k++)
			((struct matrix *)to)->at[k] = mix(h + k) % 7 - 3;
	}
}

void *filled(int type, int op, int who, int salt, size_t n)
{
	size_t size = extent(type);
	char *p = calloc(n + 1, size);

	for (size_t i = 0; i < n; i++)
		set_one(p + i * size, type, op, who, salt, i);
	return p;
}

static uint64_t fold(uint64_t d, uint64_t v)
{
	return (d ^ v) * 0x100000001b3;
}

static uint64_t bits(double v)
{
	uint64_t u;

	memcpy(&u, &v, sizeof u);
	return u;
}

int64_t integer(const void *p, int type)
{
	switch (type) {
	case I32: return *(const int32_t *)p;
	case I64: return *(const int64_t *)p;
	case F32: return *(const float *)p;
	case F64: return *(const double *)p;
	case U8: return *(const uint8_t *)p;
	}
	return *(const uint16_t *)p;
}

uint64_t digest(const void *p, int type, size_t n)
{
	uint64_t d = 0xcbf29ce484222325;
	const char *at = p;

	for (size_t i = 0; i < n; i++, at += extent(type)) {
		const struct ints *a = (const void *)at;
		const struct double_int *b = (const void *)at;

		switch (type) {
		case F32: d = fold(d, bits(*(const float *)at)); break;
		case F64: d = fold(d, bits(*(const double *)at)); break;
		case INTS: d = fold(fold(d, (int64_t)a->value), (int64_t)a->index); break;
		case DOUBLE_INT: d = fold(fold(d, bits(b->value)), (int64_t)b->index); break;
		case MATRIX:
			for (int k = 0; k < 4; k++)
				d = fold(d, ((const struct matrix *)at)->at[k]);
			break;
		default: d = fold(d, integer(at, type));
		}
	}
	return d;
}
