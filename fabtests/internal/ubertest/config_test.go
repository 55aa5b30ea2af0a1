package ubertest

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// everything has every key, in the forms that files have.
const everything = `
#: "a remark: { in quotation marks }"
{
	prov_name: mem, node: "localhost",
	service: 1234,
	test_type: [FT_TEST_LATENCY, FT_TEST_BANDWIDTH,],
	"test_class": [ "FT_CAP_MSG" FT_CAP_RMA ],
	class_function: [ FT_FUNC_SENDMSG, FT_FUNC_WRITEDATA ],
	op: [FI_MAX, FI_MIN],
	datatype: FI_INT8,
	ep_type: [FI_EP_RDM, FI_EP_MSG],
	av_type: [FI_AV_MAP, FI_AV_TABLE],
	comp_type: [FT_COMP_QUEUE, FT_COMP_CNTR, FT_COMP_ALL],
	eq_wait_obj: FI_WAIT_NONE,
	cq_wait_obj: [FI_WAIT_UNSPEC, FI_WAIT_FD],
	cntr_wait_obj: [],
	progress: FI_PROGRESS_MANUAL,
	threading: FI_THREAD_DOMAIN,
	cq_format: FI_CQ_FORMAT_DATA,
	#: [ nothing here, but words ],
	constant_caps: [FI_DIRECTED_RECV],
	mode: [FI_CONTEXT, FI_RX_CQ_DATA],
	mr_mode: [FI_MR_VIRT_ADDR],
	msg_flags: [FI_COMPLETION],
	rx_cq_bind_flags: FI_SELECTIVE_COMPLETION,
	tx_cq_bind_flags: FI_SELECTIVE_COMPLETION,
	rx_op_flags: FI_COMPLETION,
	tx_op_flags: FI_COMPLETION,
	test_flags: FT_FLAG_QUICKTEST
},
{ test_type: FT_TEST_UNIT, test_class: FT_CAP_TAGGED, ep_type: FI_EP_RDM }
`

func mustParse(t testing.TB, text string) []*set {
	t.Helper()
	sets, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// TestParse reads every key, and has what is not said be the default.
func TestParse(t *testing.T) {
	sets := mustParse(t, everything)
	if len(sets) != 2 {
		t.Fatalf("%d sets", len(sets))
	}
	for i := range keys {
		k := &keys[i]
		if _, has := sets[0].values[k.name]; k.kind != single && !has || k.kind == single && sets[0].texts[k.name] == "" {
			t.Errorf("no %s", k.name)
		}
	}
	var list []*Test
	for d := range tests(sets) {
		list = append(list, d)
	}
	// Both types, classes, functions, ops, three completions, two waits: of connected endpoints without the vectors.
	if want := 2*2*2*2*3*2*(2+1) + 1; len(list) != want {
		t.Fatalf("%d tests, want %d", len(list), want)
	}
	first, last := list[0], list[len(list)-1]
	want := Test{Type: latencyTest, Index: 1, Function: funcSendMsg, MsgFlags: fi.OpCompletion, Op: fi.AtomicMax, Datatype: fi.TypeInt8, Flags: flagQuick,
		Class: capMsg, Caps: capMsg | fi.CapDirectedRecv, Mode: fi.ModeContext | fi.ModeRxCQData, MRMode: fi.MRModeVirtAddr, AV: fi.AVMap, EP: fi.EPRDM,
		Comp: compQueue, CQWait: fi.WaitUnspec, Progress: fi.ProgressManual, Threading: fi.ThreadDomain, Node: "localhost", Service: "1234", Provider: "mem",
		RxBind: fi.BindSelectiveCompletion, TxBind: fi.BindSelectiveCompletion, RxOps: fi.OpCompletion, TxOps: fi.OpCompletion, Format: fi.CQFormatData}
	if *first != want {
		t.Errorf("the first test is\n%+v, want\n%+v", *first, want)
	}
	want = Test{Type: unitTest, Index: int32(len(list)), Class: capTagged, Caps: capTagged, EP: fi.EPRDM, Comp: compQueue, Format: fi.CQFormatTagged}
	if *last != want {
		t.Errorf("the last test is\n%+v, want\n%+v", *last, want)
	}
	if list[1].Class != capRMA || list[2].Function != funcWriteData || list[4].Op != fi.AtomicMin || list[8].Comp != compCounter {
		t.Error("the factors do not change in their order")
	}
	if d := list[9]; d.Caps&fi.CapRMAEvent == 0 || d.Caps&capMsg != capMsg {
		t.Errorf("counted remote access asks for %v", d.Caps)
	}
}

// TestParseRefuses names line and key, and suggests.
func TestParseRefuses(t *testing.T) {
	const good = "test_type: FT_TEST_UNIT, test_class: FT_CAP_MSG, ep_type: FI_EP_RDM"
	for _, c := range []struct{ text, want string }{
		{"", "line 1: no set of tests"},
		{"{\n" + good + ",\nclas_function: FT_FUNC_SEND }", `line 3: there is no key "clas_function": did you mean class_function?`},
		{"{\n" + good + ",\n\nclass_function: [FT_FUNC_SEND,\nFT_FUNC_SENT] }", `line 5: key class_function: there is no value "FT_FUNC_SENT": did you mean FT_FUNC_SEND?`},
		{"{ " + good + ", comp_type: 1234 }", `line 1: key comp_type: there is no value "1234", but FT_COMP_QUEUE, FT_COMP_CNTR, FT_COMP_ALL`},
		{"{ test_class: FT_CAP_MSG, ep_type: FI_EP_RDM }", "line 1: key test_type: the set has none"},
		{"{ test_type: FT_TEST_UNIT, ep_type: FI_EP_RDM }", "key test_class: the set has none"},
		{"{ test_type: FT_TEST_UNIT, test_class: FT_CAP_MSG, ep_type: [] }", "key ep_type: the set has none"},
		{"{ " + good + ", ep_type: FI_EP_MSG }", "key ep_type: it has a value already"},
		{"{ " + good + ",\nFI_EP_MSG }", `line 2: "FI_EP_MSG" where a key is expected: several values of ep_type stand in [ ]`},
		{"{ FI_EP_MSG: x }", `line 1: there is no key "FI_EP_MSG", but `},
		{"{ " + good + ", prov_name: [a, b] }", "key prov_name: one value, not 2"},
		{"{ " + good + ", prov_name: " + strings.Repeat("x", 64) + " }", "key prov_name: a value has at most 63 letters"},
		{"{ " + good + ", av_type: [FI_AV_MAP, FI_AV_MAP] }", "key av_type: the value FI_AV_MAP stands there twice"},
		{"{ " + good + ", av_type FI_AV_MAP }", "key av_type: no colon"},
		{"{ " + good + ", av_type: }", "key av_type: no value"},
		{"{ " + good + ", av_type: [FI_AV_MAP { ] }", `key av_type: "{" where a value is expected`},
		{"{ " + good + ", av_type: [FI_AV_MAP\n", "line 2: key av_type: the values of line 1 have no ]"},
		{"{ " + good + "\n", "line 2: the set of line 1 has no }"},
		{"{ " + good + ", ] }", `"]" where a key is expected`},
		{good, `line 1: "test_type" outside of a set`},
		{"{ " + good + ", prov_name: \"tcp }", "line 1: a quotation mark without its end"},
		{"{ " + good + ", prov_name: t\xffcp }", "line 1: "},
		{"{ " + good + ",\n\xff }", "line 2: a byte 0xff"},
		{"# \"text\"", `key "#": a remark is a key with a value`},
		{"{ " + good + ", op: [" + strings.Repeat("FI_MIN ", 65) + "] }", "key op: "},
		{strings.Repeat(" ", mostBytes+1), "1048577 bytes"},
	} {
		_, err := parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%.80q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestMakesSense leaves out what nobody can test.
func TestMakesSense(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // the functions and formats that stay
	}{
		{"test_class: FT_CAP_MSG, class_function: [FT_FUNC_SEND, FT_FUNC_WRITE, FT_FUNC_ATOMIC]", "send"},
		{"test_class: FT_CAP_RMA, class_function: [FT_FUNC_SEND, FT_FUNC_WRITE, FT_FUNC_READ]", "write read"},
		{"test_class: FT_CAP_TAGGED, class_function: [FT_FUNC_SEND, FT_FUNC_SENDMSG], msg_flags: FI_COMPLETION", "tsendmsg"},
		{"test_class: FT_CAP_RMA, class_function: [FT_FUNC_WRITEMSG, FT_FUNC_READMSG], msg_flags: FI_REMOTE_CQ_DATA", "writemsg"},
		{"test_class: FT_CAP_MSG, class_function: [FT_FUNC_SEND, FT_FUNC_SENDDATA], cq_format: FI_CQ_FORMAT_MSG", "send"},
		{"test_class: [FT_CAP_MSG, FT_CAP_TAGGED], class_function: FT_FUNC_SEND, cq_format: FI_CQ_FORMAT_TAGGED", "tsend"},
		{"test_class: FT_CAP_MSG, class_function: FT_FUNC_SEND, rx_cq_bind_flags: FI_SELECTIVE_COMPLETION, rx_op_flags: FI_COMPLETION", ""},
		{"test_class: FT_CAP_MSG, class_function: FT_FUNC_SEND, rx_cq_bind_flags: FI_SELECTIVE_COMPLETION, rx_op_flags: FI_COMPLETION, comp_type: FT_COMP_CNTR", "send"},
		{"test_class: FT_CAP_MSG, class_function: FT_FUNC_SEND, rx_cq_bind_flags: FI_SELECTIVE_COMPLETION, comp_type: FT_COMP_CNTR", ""},
		{"test_class: [FT_CAP_MSG, FT_CAP_RMA]", "func_unspec func_unspec"},
		{"test_class: FT_CAP_RMA, class_function: [FT_FUNC_READ, FT_FUNC_WRITE], tx_cq_bind_flags: FI_SELECTIVE_COMPLETION", "write"},
		{"test_class: FT_CAP_RMA, class_function: FT_FUNC_READ, tx_cq_bind_flags: FI_SELECTIVE_COMPLETION, comp_type: FT_COMP_CNTR", "read"},
	} {
		var got []string
		for d := range tests(mustParse(t, "{ test_type: FT_TEST_LATENCY, ep_type: FI_EP_RDM, "+c.text+" }")) {
			if d.makesSense() {
				got = append(got, d.Function.shown(d.Class))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.text, s, c.want)
		}
	}
	for d := range tests(mustParse(t, "{ test_type: FT_TEST_UNIT, test_class: FT_CAP_MSG, ep_type: FI_EP_DGRAM }")) {
		if d.makesSense() {
			t.Error("what datagrams carry is verified, although they may be lost")
		}
	}
}

// TestConfigs reads those of our own: each is of its folder's provider, and has every function of the classes that it tests.
func TestConfigs(t *testing.T) {
	files, err := fs.Glob(configs, "configs/*/*.test")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		b, err := configs.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sets, err := parse(string(b))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		provider, name := path.Base(path.Dir(file)), strings.TrimSuffix(path.Base(file), ".test")
		if !Has(provider, name) || !slices.Contains(configNames, name) {
			t.Errorf("%s is not found by its name", file)
		}
		runs, functions := 0, map[function]bool{}
		for d := range tests(sets) {
			if d.Provider != provider || d.Flags&flagQuick == 0 {
				t.Fatalf("%s: test %d is of %q, or no quick one", file, d.Index, d.Provider)
			}
			if d.makesSense() {
				runs++
				functions[d.Function] = true
			}
		}
		for f := funcSend; f < funcAtomic && provider != "udp"; f++ {
			if name == "all" && !functions[f] {
				t.Errorf("%s has no test of %s", file, functionFacts[f].word)
			}
		}
		t.Logf("%s: %d tests", file, runs)
	}
}

// TestInRange: numbers of tests that leave none are refused, with how many there are.
func TestInRange(t *testing.T) {
	for _, c := range []struct {
		first, last int
		want        string
	}{
		{0, 0, ""}, {1, 1, ""}, {2, 99999, ""}, {5, 3, "-y 5 -z 3: the last test is before the first"}, {99999, 99999, "-y 99999: mem/quick has "},
		{99999, 0, " tests"},
	} {
		_, err := (&choices{file: "mem/quick", first: c.first, last: c.last}).load("")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || fail.ExitCode(err) != 1) {
			t.Errorf("%d to %d: %v, want %q", c.first, c.last, err, c.want)
		}
	}
}

// TestOverridden tells that another provider is used than that of the file.
func TestOverridden(t *testing.T) {
	if got := Overridden("mem/quick", "shm"); !strings.Contains(got, "mem/quick is of mem (prov_name), but it is run over shm") {
		t.Errorf("%q", got)
	}
	for _, same := range []string{"mem", ""} {
		if got := Overridden("mem/quick", same); got != "" {
			t.Errorf("%q: %q", same, got)
		}
	}
}

// TestCheck finds files by path and by name, and says what is wrong with them.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ file, provider, want string }{
		{"quick", "tcp", ""},
		{"shm/verify", "", ""},
		{"configs/mem/all.test", "mem", ""},
		{"quick", "", "quick of which provider?"},
		{"quick", "xyzzy", "there is no configuration quick for xyzzy"},
		{"nowhere.test", "tcp", "there is no file nowhere.test"},
		{"qick", "tcp", "there is no file qick: did you mean quick?"},
		{"", "tcp", "a client needs a configuration"},
		{"doc.go", "tcp", "doc.go, line 1: "},
		{"configs", "tcp", "read configs: "},
	} {
		err := Check(c.file, c.provider)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || fail.ExitCode(err) != 1 || fail.Next(err) == "") {
			t.Errorf("%q of %q: %v, want %q", c.file, c.provider, err, c.want)
		}
	}
}
