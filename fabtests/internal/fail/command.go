package fail

import (
	"regexp"
	"strings"
)

// assignment is the beginning of a word that sets a variable for a command, when it stands before it.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*=`)

// CommandLine is a command as it is typed into a shell: words with signs that mean something there are quoted. Of a variable
// before the command only the value is: a shell would take the whole for the name of a program.
func CommandLine(words []string) string {
	quoted := make([]string, len(words))
	before := true
	for i, w := range words {
		name := ""
		if before {
			name = assignment.FindString(w)
			before = name != ""
		}
		quoted[i] = name + quote(w[len(name):], name == "")
	}
	return strings.Join(quoted, " ")
}

// quote quotes a word that means something to a shell. One that is empty would not be there, unless a name is before it.
func quote(w string, alone bool) string {
	if w == "" && alone || strings.ContainsAny(w, " \t\n\"'`$&|;<>()[]{}*?!#~^\\") {
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}
