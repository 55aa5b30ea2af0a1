package main

import "github.com/gofabric/gofabric/internal/cli"

var examples = []cli.Example{
	{Line: "fi_info -v -p shm", Text: "everything about one provider"},
	{Line: `fi_info -c "FI_RMA | FI_ATOMIC"`, Text: "who can do this"},
	{Line: "fi_info --explain -p verbs", Text: "why not"},
	{Line: "fi_info --doctor", Text: "what to mend on this machine"},
	{Line: "fi_info -g log", Text: "variables about logging, with their values"},
	{Line: "FI_PROVIDER=shm fi_info", Text: "what programs get with this variable"},
	{Line: "fi_info --json -t rdm | jq '.infos[].domain_attr.name'", Text: "names of domains, for a script"},
	{Line: "source <(fi_info completion bash)", Text: "complete options and their values in this shell"},
	{Line: "fi_info man | man -l -", Text: "this page, where it is not installed"},
}

var manual = []cli.Part{
	{Title: "DESCRIPTION", Text: `
fi_info lists the endpoints that a program could open, best first: each entry is what *fabric.GetInfo* returns for the
same hints. Without options it shows six lines an entry: provider, fabric, domain, version, type and protocol.

Hints are given to the library only if an option gives one. The mode is then what the application can live with: all, if
` + "`--mode`" + ` does not say less. What is not said matches anything.

An entry lists primary capabilities (FI_MSG, FI_RMA and others) only if they were asked for, or if nothing was; it may
list others unasked. Numbers are at least those that were asked for.

Long options may be abbreviated while they are unique. Options may follow operands; operands other than ` + "`completion`" + `
and ` + "`man`" + ` are ignored. Of several things to show the first of these counts: ` + "`--version`, `--env`, `--doctor`, `--explain`, " +
		"`--info`, `--verbose`, `--list`" + `.`},
	{Title: "EXIT STATUS", Text: `
- ` + "`0`" + `: done, with any number of entries; ` + "`--help`, `--version`, `--env`" + ` and ` + "`--doctor`" + ` too, whatever they found.
- ` + "`1`" + `: wrong options. Or the output could not be written.
- ` + "`22`" + `: a word that is no capability, mode, endpoint type or address format.
- ` + "`61`" + `: nothing matches; standard error says why. Other numbers are those of the error that it names.`},
	{Title: "JSON", Text: `
With ` + "`--json`" + ` one object is printed, in success and failure. Its members:

- ` + "`schema`" + `: 1. It grows when a member changes its meaning or goes; new members do not change it.
- ` + "`fi_info`, `api`" + `: versions of the tool and of libfabric's API.
- ` + "`infos`" + `: the entries, with libfabric's field names; sets are arrays of C names, enumerations are C names, addresses are text.
- ` + "`providers`" + `: names and versions (` + "`--list`" + `), with the number of matching entries (` + "`--explain`" + `).
- ` + "`rejections`" + `: *provider*, *domain*, *attr*, *option*, *want*, *have*, *fix*, and *text*: all of it in a line.
- ` + "`variables`, `unknown_variables`" + `: of ` + "`--env`" + `: *name*, *owner*, *type*, *help*, *accepts*, *default*, *value* (null: not set).
- ` + "`findings`" + `: of ` + "`--doctor`" + `: *name*, *ok*, *value*, *need*, *cure*.
- ` + "`module`" + `: of ` + "`--version`" + `: where the program comes from.
- ` + "`error`" + `: *errno*, *name*, *text*, when there is one.

The file fi_info/schema.json of the source has it as a JSON Schema.`},
	{Title: "ENVIRONMENT", Text: `
` + "`fi_info --env`" + ` lists every variable that the library reads. Those that change what is listed:

- ` + "`FI_PROVIDER`" + `: a list of providers to use, or with ` + "`^`" + ` in front those not to use.
- ` + "`FI_LOG_LEVEL`, `FI_LOG_PROV`, `FI_LOG_SUBSYS`, `FI_LOG_LOCATION`" + `: logging.
- ` + "`NO_COLOR`, `CLICOLOR_FORCE`, `TERM`, `LC_ALL`, `LC_CTYPE`, `LANG`" + `: whether ` + "`--doctor`" + ` may use colours and signs beyond ASCII.

A variable whose name is nearly that of a known one is warned about.`},
	{Title: "DIFFERENCES FROM LIBFABRIC", Text: `
` + "`--help`" + ` ends with status 0. ` + "`--domain` and `--fabric`" + ` are honoured by every provider. ` + "`--caps`" + ` knows all capabilities of
libfabric 2.6 and allows blanks round the bar. ` + "`--env`" + ` writes no null bytes and shows defaults. A failure is followed by its
reasons. New are ` + "`--json`, `--explain`, `--doctor`, `--dedup`, `completion` and `man`" + `. The first line of ` + "`--version`" + ` is the
version of this tool; the others name the API of libfabric that it follows.`},
	{Title: "SEE ALSO", Text: `*fabric*(7), *fi_shm*(7), *fi_tcp*(7), *fabtests*(1)`},
}
