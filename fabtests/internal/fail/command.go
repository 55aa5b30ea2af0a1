package fail

import "strings"

// CommandLine is a command as it is typed into a shell: words with signs that mean something there are quoted.
func CommandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'`$&|;<>()[]{}*?!#~^\\") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
