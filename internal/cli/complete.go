package cli

import (
	"fmt"
	"slices"
	"strings"
)

// Shells are those that Completion knows.
var Shells = []string{"bash", "zsh", "fish"}

// Completion gives the script by which a shell completes the command's options and their values. Unknown shells give a
// [*UsageError].
func (c *Command) Completion(shell string) (string, error) {
	switch shell {
	case "bash":
		return c.bash(), nil
	case "zsh":
		return c.zsh(), nil
	case "fish":
		return c.fish(), nil
	}
	if shell == "" {
		return "", &UsageError{Text: "completion for which shell", Hint: "there is " + strings.Join(Shells, ", ")}
	}
	return "", &UsageError{Text: fmt.Sprintf("no completion for '%s'", shell), Hint: "there is " + strings.Join(Shells, ", ")}
}

func (c *Command) bash() string {
	var b strings.Builder
	all := slices.Clone(c.Operands)
	var cases strings.Builder
	for _, o := range c.Options {
		names := "--" + o.Long
		all = append(all, "--"+o.Long)
		if o.Short != 0 {
			names = "-" + string(rune(o.Short)) + "|" + names
			all = append(all, "-"+string(rune(o.Short)))
		}
		if o.Arg == "" {
			continue
		}
		joined := ""
		if o.Joined {
			joined = " joined=1"
		}
		fmt.Fprintf(&cases, "    %s) words=%s%s ;;\n", names, quoteSh(strings.Join(o.Values, " ")), joined)
	}
	for _, op := range c.Operands {
		if sub := c.SubOperands[op]; len(sub) > 0 {
			fmt.Fprintf(&cases, "    %s) words=%s ;;\n", op, quoteSh(strings.Join(sub, " ")))
		}
	}
	fn := "_" + c.Name
	fmt.Fprintf(&b, `# bash completion for %[1]s; use: source <(%[1]s completion bash)
%[2]s() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words joined= prefix=
  if [ "$cur" = = ]; then cur=
  elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  cur=${cur#[\"\']}
  case $prev in
%[3]s    *) words=%[4]s ;;
  esac
  if [ -n "$joined" ]; then
    prefix=${cur%%"${cur##*[|,]}"} cur=${cur##*[|,]}
    compopt -o nospace 2>/dev/null
  fi
  local word
  COMPREPLY=()
  for word in $words; do
    case $word in "$cur"*) COMPREPLY+=("$prefix$word") ;; esac
  done
}
complete -F %[2]s %[1]s
`, c.Name, fn, cases.String(), quoteSh(strings.Join(all, " ")))
	return b.String()
}

func (c *Command) zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %[1]s\n# zsh completion for %[1]s; put it as _%[1]s into a folder of $fpath\n_%[1]s() {\n  _arguments -s -S", c.Name)
	for _, o := range c.Options {
		help := zshText(o.Help)
		action := ""
		if o.Arg != "" {
			action = ":" + zshText(o.Arg) + ":"
			switch {
			case o.Joined && len(o.Values) > 0:
				action += "_values -s , word " + strings.Join(o.Values, " ")
			case len(o.Values) > 0:
				action += "(" + strings.Join(o.Values, " ") + ")"
			default:
				action += " "
			}
		}
		long := "--" + o.Long
		if o.Arg != "" {
			long += "="
		}
		b.WriteString(" \\\n    ")
		if o.Short != 0 {
			short := "-" + string(rune(o.Short))
			if o.Arg != "" {
				short += "+"
			}
			fmt.Fprintf(&b, "{%s,%s}", short, long)
		} else {
			b.WriteString(long)
		}
		b.WriteString(quoteSh("[" + help + "]" + action))
	}
	if len(c.Operands) > 0 {
		b.WriteString(" \\\n    " + quoteSh("1: :("+strings.Join(c.Operands, " ")+")"))
	}
	for _, op := range c.Operands {
		if sub := c.SubOperands[op]; len(sub) > 0 {
			b.WriteString(" \\\n    " + quoteSh("2: :("+strings.Join(sub, " ")+")"))
		}
	}
	fmt.Fprintf(&b, "\n}\nif [ \"$funcstack[1]\" = _%[1]s ]; then\n  _%[1]s \"$@\"\nelse\n  compdef _%[1]s %[1]s\nfi\n", c.Name)
	return b.String()
}

// zshText keeps the characters that _arguments gives a meaning to out of a text.
func zshText(s string) string {
	return strings.NewReplacer("[", "(", "]", ")", ":", `\:`).Replace(s)
}

func (c *Command) fish() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion for %[1]s; use: %[1]s completion fish | source\ncomplete -c %[1]s -f\n", c.Name)
	for _, o := range c.Options {
		fmt.Fprintf(&b, "complete -c %s", c.Name)
		if o.Short != 0 {
			b.WriteString(" -s " + string(rune(o.Short)))
		}
		b.WriteString(" -l " + o.Long)
		if o.Arg != "" {
			b.WriteString(" -x")
		}
		if len(o.Values) > 0 {
			words := quoteFish(strings.Join(o.Values, " "))
			if o.Joined {
				words = quoteFish("(__fish_append , " + strings.Join(o.Values, " ") + ")")
			}
			b.WriteString(" -a " + words)
		}
		b.WriteString(" -d " + quoteFish(o.Help) + "\n")
	}
	for _, op := range c.Operands {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s\n", c.Name, op)
		if sub := c.SubOperands[op]; len(sub) > 0 {
			fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from %s' -a %s\n", c.Name, op, quoteFish(strings.Join(sub, " ")))
		}
	}
	return b.String()
}

func quoteSh(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quoteFish(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
