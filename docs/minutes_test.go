package docs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The points of the first five minutes that documents and the library keep together. Those of fi_info stand beside it,
// those of fabtests beside that, and the mistakes that everybody makes beside package fabric.

// tell runs a program with the log at a level and gives what it logs.
func tell(t *testing.T, text, level string) string {
	t.Helper()
	run := exec.CommandContext(t.Context(), buildProgram(t, text))
	run.Env = append(os.Environ(), "FI_LOG_LEVEL="+level)
	var log bytes.Buffer
	run.Stderr = &log
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	return log.String()
}

// dataCalls are the files of package fabric with the calls that move data.
var dataCalls = []string{"msg.go", "tagged.go", "rma.go", "atomic.go"}

// TestFirstMinutes6GoDoc looks at what an editor shows of a data call: who owns the buffer, the errors, the C name.
func TestFirstMinutes6GoDoc(t *testing.T) {
	cmd := exec.Command("go", "doc", "./fabric", "Endpoint.Send")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shown := strings.Join(strings.Fields(string(out)), " ") // the lines are broken anew
	for _, want := range []string{"(fi_send)", "Ownership: buf belongs to the operation until its completion.", "Errors: fi.ErrAgain"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	calls := 0
	for _, name := range dataCalls {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "fabric", name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Recv == nil || !takesBuffer(fn) {
				continue
			}
			calls++
			text := fn.Doc.Text()
			for _, want := range []string{`\(fi_\w+\)|no C call`, `Ownership`, `[Ee]rrors:`} {
				if !regexp.MustCompile(want).MatchString(text) {
					t.Errorf("%s does not say %s", fn.Name.Name, want)
				}
			}
		}
	}
	if calls < 30 {
		t.Errorf("only %d calls were found", calls)
	}
}

// TestSendersAreTold wants the calls whose nil is easily taken for more to say what is lost when a process ends.
func TestSendersAreTold(t *testing.T) {
	for name, calls := range map[string][]string{"msg.go": {"Send", "Inject"}, "tagged.go": {"TSend", "TInject"},
		"rma.go": {"Write", "InjectWrite"}, "atomic.go": {"Atomic", "InjectAtomic"}} {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "fabric", name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !slices.Contains(calls, fn.Name.Name) {
				continue
			}
			if text := strings.Join(strings.Fields(fn.Doc.Text()), " "); !regexp.MustCompile(`[Nn]il.*\bclose the endpoint|[Nn]il.*Close`).MatchString(text) {
				t.Errorf("%s does not say that the endpoint is closed before the process ends", fn.Name.Name)
			}
		}
	}
}

// takesBuffer tells whether a function has a parameter of bytes or a message form.
func takesBuffer(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		switch x := p.Type.(type) {
		case *ast.ArrayType:
			return true
		case *ast.StarExpr:
			if s, ok := x.X.(*ast.SelectorExpr); ok && strings.HasSuffix(s.Sel.Name, "Msg") {
				return true
			}
		}
	}
	return false
}

// TestFirstMinutes8Rosetta takes the way of somebody who knows the C name: to the table, and to the comment.
func TestFirstMinutes8Rosetta(t *testing.T) {
	table, _ := read(t, "rosetta.md")
	row := regexp.MustCompile("(?m)^.*`fi_tsenddata`.*$").FindString(table)
	if !strings.Contains(row, "TSendData") {
		t.Errorf("the row is %q", row)
	}
	cmd := exec.Command("go", "doc", "./fabric", "Endpoint.TSendData")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("(fi_tsenddata)")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestFirstMinutes12Story runs the guide's two processes with FI_LOG_LEVEL=info: each tells whom it chose and why, what
// it opened, whom it connected to and how it ended, in some five lines.
func TestFirstMinutes12Story(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("known: the programs of the documents talk over shared memory, which only linux has here")
	}
	_, blocks := read(t, filepath.Join("guide", "getting-started.md"))
	var text string
	for _, b := range blocks {
		if isProgram(b.text) && strings.Contains(b.text, "exec.Command") {
			text = b.text
		}
	}
	const end = "shm:ep_ctrl: peer closed peer=fi_shm://"
	log := tell(t, text, "info")
	for range 20 { // on a busy machine one side may have closed before it saw the other one end
		if strings.Contains(log, end) {
			break
		}
		log = tell(t, text, "info")
	}
	line := regexp.MustCompile(`^[\d:.]+ gofabric\[(\d+)\] info (\w+:\w+: [\w ]+?)( \w+=.*)?$`)
	told := map[string][]string{} // by process
	for l := range strings.Lines(log) {
		m := line.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
		if m == nil {
			t.Errorf("not a line of the story: %s", l)
			continue
		}
		told[m[1]] = append(told[m[1]], m[2])
	}
	if len(told) != 2 {
		t.Fatalf("%d processes tell:\n%s", len(told), log)
	}
	begin := []string{"core:core: provider chosen", "shm:domain: domain opened", "shm:ep_ctrl: endpoint enabled", "shm:ep_ctrl: connected"}
	for pid, lines := range told {
		if len(lines) > 6 || len(lines) < len(begin) {
			t.Errorf("process %s has %d lines", pid, len(lines))
			continue
		}
		for i, want := range begin {
			if lines[i] != want {
				t.Errorf("process %s tells %q, want %q", pid, lines[i], want)
			}
		}
	}
	if !strings.Contains(log, end) || !strings.Contains(log, `reason="`) ||
		!strings.Contains(log, " cma=") || !strings.Contains(log, " progress=FI_PROGRESS_AUTO") {
		t.Errorf("something is missing in\n%s", log)
	}
	if quiet := tell(t, text, "warn"); quiet != "" && !strings.Contains(quiet, "cma is not available") {
		t.Errorf("at warn it tells %s", quiet)
	}
}
