package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// schema is as much of JSON Schema as schema.json uses.
type schema struct {
	Ref        string             `json:"$ref"`
	Defs       map[string]*schema `json:"$defs"`
	Type       any                `json:"type"` // a name or a list of names
	Const      any                `json:"const"`
	Enum       []any              `json:"enum"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`

	Schema, Title, Description string
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	data, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(bytes.Replace(data, []byte(`"$schema"`), []byte(`"Schema"`), 1)))
	dec.DisallowUnknownFields()
	s := &schema{}
	if err := dec.Decode(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// check lists where val differs from s.
func (s *schema) check(root *schema, at string, val any) []string {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return root.Defs[name].check(root, at, val)
	}
	var bad []string
	fail := func(format string, args ...any) { bad = append(bad, at+": "+fmt.Sprintf(format, args...)) }
	if s.Type != nil && !hasType(s.Type, val) {
		fail("%v is no %v", val, s.Type)
	}
	if s.Const != nil && fmt.Sprint(s.Const) != fmt.Sprint(val) {
		fail("%v is not %v", val, s.Const)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, val) {
		fail("%v is not one of %v", val, s.Enum)
	}
	switch v := val.(type) {
	case []any:
		for i, x := range v {
			bad = append(bad, s.Items.check(root, fmt.Sprintf("%s[%d]", at, i), x)...)
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				fail("%s is missing", name)
			}
		}
		for name, x := range v {
			if p := s.Properties[name]; p != nil {
				bad = append(bad, p.check(root, at+"."+name, x)...)
			} else { // a reader of the schema accepts it; we are to describe it
				fail("%s is not in the schema", name)
			}
		}
	}
	return bad
}

func hasType(want, val any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(w any) bool { return hasType(w, val) })
	}
	switch v := val.(type) {
	case nil:
		return want == "null"
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case json.Number:
		return want == "number" || want == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case []any:
		return want == "array"
	default:
		return want == "object"
	}
}

func (s *schema) checkText(t *testing.T, text string) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var val map[string]any
	if err := dec.Decode(&val); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if dec.More() {
		t.Error("more than one object")
	}
	for _, bad := range s.check(s, "", val) {
		t.Error(bad)
	}
	return val
}

func TestJSONFitsItsSchema(t *testing.T) {
	s := readSchema(t)
	for _, c := range []struct {
		args, member string // which must be there
		status       int
	}{
		{"-p mem", "infos", 0},
		{"-v -p mem -n fi_mem://x", "infos", 0},
		{"-l", "providers", 0},
		{"-p nosuch", "error", 61},
		{"-p mem -c FI_HMEM", "rejections", 61},
		{"--explain -p mem", "providers", 0},
		{"--explain -p verbs", "rejections", 61},
		{"-e", "variables", 0},
		{"--doctor", "findings", 0},
		{"--version", "module", 0},
	} {
		t.Run(c.args, func(t *testing.T) {
			w, out, _ := testWorld(sickMachine)
			w.environ = []string{"FI_PROVIDR=x"}
			if status := w.run(append([]string{"--json"}, strings.Fields(c.args)...)); status != c.status {
				t.Errorf("status %d", status)
			}
			if val := s.checkText(t, out.String()); val[c.member] == nil {
				t.Errorf("no %s", c.member)
			}
		})
	}
}

// TestSchemaKnowsDevices checks what no provider of this machine may have.
func TestSchemaKnowsDevices(t *testing.T) {
	w, out, _ := testWorld(nil)
	w.writeJSON(document{Infos: []*fi.Info{{NIC: &fi.NIC{Name: "mlx5_0", MTU: 4096}}}})
	readSchema(t).checkText(t, out.String())
}

// TestSchemaRefuses is a test of the check itself.
func TestSchemaRefuses(t *testing.T) {
	s := readSchema(t)
	for _, text := range []string{
		`{"fi_info": "1", "api": "2.6"}`,
		`{"schema": 2, "fi_info": "1", "api": "2.6"}`,
		`{"schema": 1, "fi_info": 1, "api": "2.6"}`,
		`{"schema": 1, "fi_info": "1", "api": "2.6", "new": 0}`,
		`{"schema": 1, "fi_info": "1", "api": "2.6", "infos": [{}]}`,
		`{"schema": 1, "fi_info": "1", "api": "2.6", "providers": [{"name": "x", "matches": 1.5}]}`,
	} {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var val any
		if err := dec.Decode(&val); err != nil {
			t.Fatal(err)
		}
		if len(s.check(s, "", val)) == 0 {
			t.Errorf("accepted: %s", text)
		}
	}
}

// TestSchemaHasEveryMember finds members of the document that nobody described.
func TestSchemaHasEveryMember(t *testing.T) {
	s := readSchema(t)
	for f := range reflect.TypeFor[document]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if s.Properties[name] == nil {
			t.Errorf("%s is not in the schema", name)
		}
	}
}
