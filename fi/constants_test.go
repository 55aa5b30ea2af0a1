package fi

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// constVal is an exported constant of the package, as its source says.
type constVal struct {
	name  string
	typ   string
	val   uint64
	cName []string // the C names in the comment behind it
}

// noImports makes the type checker go on without the packages that the constants do not need.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

var cNames = regexp.MustCompile(`^FI_[A-Z0-9_]+(, FI_[A-Z0-9_]+)*|^EEXIST`)

// sourceConstants reads the package's files, so that a new constant cannot escape the tests.
func sourceConstants(t *testing.T) []constVal {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") || strings.HasPrefix(p, "errno_sys") {
			continue
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}}
	_, _ = conf.Check("fi", fset, files, info) // fails for lack of imports
	var list []constVal
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for _, id := range spec.Names {
				c, ok := info.Defs[id].(*types.Const)
				named, isNamed := info.TypeOf(id).(*types.Named)
				if !ok || !isNamed || !id.IsExported() {
					continue
				}
				v, exact := constant.Uint64Val(c.Val())
				if !exact {
					t.Fatalf("%s: value %v", id.Name, c.Val())
				}
				cv := constVal{name: id.Name, typ: named.Obj().Name(), val: v}
				if m := cNames.FindString(strings.TrimSpace(spec.Comment.Text())); m != "" {
					cv.cName = strings.Split(m, ", ")
				}
				list = append(list, cv)
			}
			return true
		})
	}
	if len(list) < 300 {
		t.Fatalf("only %d constants found", len(list))
	}
	return list
}

// texts is how the test reaches the methods of a type by its name.
type texts struct {
	str, marshal, list func(uint64) string
	parse              func(string) (uint64, error)
	viaJSON            func(uint64) (uint64, string, error)
	set                bool
}

func textsOf[T number, P interface {
	*T
	encoding.TextUnmarshaler
}]() texts {
	type lister interface{ List() string }
	_, set := any(*new(T)).(lister)
	return texts{
		list: func(v uint64) string { return any(T(v)).(lister).List() },
		viaJSON: func(v uint64) (uint64, string, error) {
			js, err := json.Marshal(T(v))
			if err != nil {
				return 0, "", err
			}
			var back T
			err = json.Unmarshal(js, &back)
			return uint64(back), string(js), err
		},
		str: func(v uint64) string { return fmt.Sprint(T(v)) },
		marshal: func(v uint64) string {
			b, _ := any(T(v)).(encoding.TextMarshaler).MarshalText()
			return string(b)
		},
		parse: func(s string) (uint64, error) {
			var v T
			err := P(&v).UnmarshalText([]byte(s))
			return uint64(v), err
		},
		set: set,
	}
}

var textTypes = map[string]texts{
	"Caps": textsOf[Caps](), "Mode": textsOf[Mode](), "Order": textsOf[Order](), "OpFlags": textsOf[OpFlags](),
	"CompFlags": textsOf[CompFlags](), "BindFlags": textsOf[BindFlags](), "CountFlags": textsOf[CountFlags](),
	"Access": textsOf[Access](), "MRFlags": textsOf[MRFlags](), "MRMode": textsOf[MRMode](),
	"AVFlags": textsOf[AVFlags](), "AVSetFlags": textsOf[AVSetFlags](), "CollectiveOp": textsOf[CollectiveOp](), "InfoFlags": textsOf[InfoFlags](),
	"EPType": textsOf[EPType](), "Threading": textsOf[Threading](), "Progress": textsOf[Progress](),
	"AVType": textsOf[AVType](), "ResourceMgmt": textsOf[ResourceMgmt](), "WaitObj": textsOf[WaitObj](),
	"WaitCond": textsOf[WaitCond](), "CQFormat": textsOf[CQFormat](), "CounterEvents": textsOf[CounterEvents](),
	"AddrFormat": textsOf[AddrFormat](), "TClass": textsOf[TClass](), "HMEMIface": textsOf[HMEMIface](),
	"Protocol": textsOf[Protocol](), "AtomicOp": textsOf[AtomicOp](), "Datatype": textsOf[Datatype](),
	"AtomicKind": textsOf[AtomicKind](), "WorkOp": textsOf[WorkOp](), "Errno": textsOf[Errno](), "Version": textsOf[Version](),
	"EQEvent": textsOf[EQEvent](), "EQFlags": textsOf[EQFlags](), "Class": textsOf[Class](),
}

// withoutText are the types whose constants are not words of libfabric's.
var withoutText = map[string]bool{"Detail": true, "Addr": true, "OpKind": true}

// withoutCName are the constants that C does not have.
var withoutCName = map[string]bool{
	"PrimaryCaps": true, "ModifierCaps": true, "SecondaryCaps": true, "TxCaps": true, "RxCaps": true, "DomainCaps": true,
	"AtomicBase": true, "ProtoPrivate": true, "ProtoGoMem": true, "ProtoGoSHM": true, "ProtoGoLNX": true, "APIVersion": true,
	"ProvVersion": true,
}

func libfabricNumbers(t *testing.T) map[string]uint64 {
	t.Helper()
	data, err := os.ReadFile("testdata/numbers.txt")
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]uint64{"EEXIST": 17}
	for line := range strings.Lines(string(data)) {
		name, val, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || name == "#" {
			continue
		}
		n, err := strconv.ParseUint(val, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		numbers[name] = n
	}
	return numbers
}

func TestNumbersAreLibfabrics(t *testing.T) {
	numbers := libfabricNumbers(t)
	for _, c := range sourceConstants(t) {
		if len(c.cName) == 0 {
			if !withoutCName[c.name] && !withoutText[c.typ] {
				t.Errorf("%s: the C name is not in the comment behind it", c.name)
			}
			continue
		}
		for _, n := range c.cName {
			if want, ok := numbers[n]; !ok {
				t.Errorf("%s: libfabric has no %s", c.name, n)
			} else if c.val != want {
				t.Errorf("%s = %#x, but %s = %#x", c.name, c.val, n, want)
			}
		}
	}
}

func TestEveryConstantHasText(t *testing.T) {
	for _, c := range sourceConstants(t) {
		if withoutText[c.typ] {
			continue
		}
		x, ok := textTypes[c.typ]
		if !ok {
			t.Errorf("type %s of %s has no text", c.typ, c.name)
			continue
		}
		str, text := x.str(c.val), x.marshal(c.val)
		if strings.Contains(str, "nknown") || strings.Contains(str, "0x") {
			t.Errorf("%s has no text: %q", c.name, str)
		}
		short := strings.TrimPrefix(text, "FI_")
		if c.name == "ErrNoKey" { // the bare name is an errno
			short = text
		}
		for _, in := range []string{text, strings.ToLower(text), short, " " + text + "\t"} {
			if got, err := x.parse(in); err != nil || got != c.val {
				t.Errorf("%s: %q reads as %#x, %v", c.name, in, got, err)
			}
		}
		if c.typ != "Errno" && (x.set || str == text) {
			if got, err := x.parse(str); err != nil || got != c.val {
				t.Errorf("%s: %q reads as %#x, %v", c.name, str, got, err)
			}
		}
		if got, js, err := x.viaJSON(c.val); err != nil || got != c.val || x.set != strings.HasPrefix(js, "[") {
			t.Errorf("%s: JSON %s reads as %#x, %v", c.name, js, got, err)
		}
		if x.set && x.list(c.val) != "[ "+str+" ]" {
			t.Errorf("%s as a list: %q", c.name, x.list(c.val))
		}
		for _, n := range c.cName {
			if got, err := x.parse(n); err != nil || got != c.val {
				t.Errorf("%s: %q reads as %#x, %v", c.name, n, got, err)
			}
		}
		if len(c.cName) > 0 && c.name != "TClassLabel" && text != c.cName[0] && c.name != "CapSend" {
			t.Errorf("%s is %q, want %q", c.name, text, c.cName[0])
		}
	}
}

// TestUnknownValues: values without a name print as such and survive the way out and in.
func TestUnknownValues(t *testing.T) {
	for name, x := range textTypes {
		for _, v := range []uint64{1 << 22, 77777, 1<<31 | 1<<22} {
			text := x.marshal(v)
			if got, err := x.parse(text); err != nil || got != v {
				t.Errorf("%s(%#x): %q reads as %#x, %v", name, v, text, got, err)
			}
		}
	}
	if got := EPType(9).String(); got != "Unknown (9)" {
		t.Errorf("EPType(9) is %q", got)
	}
	if got := EPType(-9).String(); got != "Unknown (-9)" {
		t.Errorf("EPType(-9) is %q", got)
	}
	var e EPType
	if err := e.UnmarshalText([]byte("-9")); err != nil || e != -9 {
		t.Errorf("-9 reads as %d, %v", int(e), err)
	}
	if got := (CapMsg | 1<<60).String(); got != "FI_MSG, 0x1000000000000000" {
		t.Errorf("an unknown bit prints as %q", got)
	}
}
