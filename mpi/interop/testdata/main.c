/* Usage: peer SCRIPT FOLDER. Every rank executes the lines of SCRIPT and writes what it got to FOLDER/RANK. */
#include "peer.h"

FILE *out;
int step, me;
MPI_Comm comms[64];
const char *line;

int number(void)
{
	char *end;
	long v = strtol(line, &end, 10);

	if (end == line) {
		fprintf(stderr, "line %d: a number is missing\n", step);
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
	line = end;
	return v;
}

static const struct {
	const char *name;
	void (*run)(MPI_Comm);
} commands[] = {
	{"messages", messages}, {"persistent", persistent}, {"exchange", exchange}, {"flood", flood}, {"collective", collective}, {"window", window}, {"grid", grid},
};

static void execute(char *text)
{
	char *rest = strchr(text, ' ');

	if (!rest)
		return;
	*rest = 0;
	line = rest + 1;
	if (!strcmp(text, "dup")) {
		duplicate();
		return;
	}
	if (!strcmp(text, "split")) {
		split();
		return;
	}
	if (!strcmp(text, "free")) {
		part();
		return;
	}
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		MPI_Comm c;

		if (strcmp(text, commands[i].name))
			continue;
		c = comms[number()];
		if (c != MPI_COMM_NULL)
			commands[i].run(c);
		return;
	}
}

int main(int argc, char **argv)
{
	static char text[1 << 16];
	char name[4096];
	FILE *script;
	void *buffer;
	int size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	if (argc != 3 || !(script = fopen(argv[1], "r"))) {
		fprintf(stderr, "usage: peer SCRIPT FOLDER\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	snprintf(name, sizeof name, "%s/%d", argv[2], me);
	out = fopen(name, "w");
	if (!out) {
		perror(name);
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	for (size_t i = 0; i < sizeof comms / sizeof *comms; i++)
		comms[i] = MPI_COMM_NULL;
	comms[0] = MPI_COMM_WORLD;
	buffer = malloc(size = 32 << 20);
	MPI_Buffer_attach(buffer, size);
	start_data();
	for (step = 1; fgets(text, sizeof text, script); step++) {
		text[strcspn(text, "\n")] = 0;
		execute(text);
	}
	end_data();
	MPI_Buffer_detach(&buffer, &size);
	free(buffer);
	fclose(script);
	if (fclose(out))
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Finalize();
	return 0;
}
