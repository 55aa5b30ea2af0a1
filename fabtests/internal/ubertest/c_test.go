package ubertest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gofabric/gofabric/internal/cfabtests"
	"github.com/gofabric/gofabric/internal/freeport"
)

// ofC are tests that C's program can run with ours, over connected endpoints: those of datagrams want 1.18.
const ofC = `
{ prov_name: tcp, test_type: [FT_TEST_LATENCY, FT_TEST_BANDWIDTH, FT_TEST_UNIT], test_class: FT_CAP_MSG, ep_type: FI_EP_MSG, eq_wait_obj: FI_WAIT_UNSPEC,
  class_function: [FT_FUNC_SEND, FT_FUNC_SENDV, FT_FUNC_SENDMSG, FT_FUNC_INJECT, FT_FUNC_SENDDATA], test_flags: FT_FLAG_QUICKTEST },
{ prov_name: tcp, test_type: [FT_TEST_LATENCY, FT_TEST_BANDWIDTH, FT_TEST_UNIT], test_class: FT_CAP_RMA, ep_type: FI_EP_MSG, eq_wait_obj: FI_WAIT_UNSPEC,
  class_function: [FT_FUNC_WRITE, FT_FUNC_READ, FT_FUNC_WRITEMSG], mr_mode: [FI_MR_LOCAL, FI_MR_VIRT_ADDR, FI_MR_PROV_KEY, FI_MR_ALLOCATED], test_flags: FT_FLAG_QUICKTEST }
`

// ofRDM are more of them, over endpoints that are not connected: since 1.18, where the provider has them under that name.
const ofRDM = `
{ prov_name: tcp, test_type: [FT_TEST_LATENCY, FT_TEST_BANDWIDTH, FT_TEST_UNIT], test_class: [FT_CAP_MSG, FT_CAP_TAGGED], ep_type: FI_EP_RDM, av_type: FI_AV_TABLE,
  class_function: [FT_FUNC_SEND, FT_FUNC_SENDV, FT_FUNC_SENDMSG, FT_FUNC_INJECT, FT_FUNC_INJECTDATA, FT_FUNC_SENDDATA], test_flags: FT_FLAG_QUICKTEST },
{ prov_name: tcp, test_type: [FT_TEST_LATENCY, FT_TEST_BANDWIDTH, FT_TEST_UNIT], test_class: FT_CAP_RMA, ep_type: FI_EP_RDM, av_type: FI_AV_TABLE,
  class_function: [FT_FUNC_WRITE, FT_FUNC_READ, FT_FUNC_WRITEMSG, FT_FUNC_WRITEV, FT_FUNC_READV, FT_FUNC_READMSG, FT_FUNC_WRITEDATA, FT_FUNC_INJECT_WRITE],
  mr_mode: [FI_MR_LOCAL, FI_MR_VIRT_ADDR, FI_MR_PROV_KEY, FI_MR_ALLOCATED], test_flags: FT_FLAG_QUICKTEST }
`

// TestAgainstC runs with the program of C as the client, and as the server.
func TestAgainstC(t *testing.T) {
	againstC(t, ofC, "Success: 24\n")
}

// TestAgainstCUnconnected is the same over endpoints that are not connected.
func TestAgainstCUnconnected(t *testing.T) {
	if p, err := cfabtests.Find(t.Context(), os.Getenv("FABTESTS_C")); os.Getenv("FABTESTS_C") != "" && (err != nil || !p.Since(1, 18)) {
		t.Skip("known: C's tcp has RDM endpoints since 1.18: ", err)
	}
	againstC(t, ofRDM, "Success: 60\n")
}

// againstC runs tests, which must all succeed, on both sides.
func againstC(t *testing.T, tests, want string) {
	folder := os.Getenv("FABTESTS_C")
	if folder == "" {
		t.Skip("known: FABTESTS_C is the folder of C's programs")
	}
	program := filepath.Join(folder, "fi_ubertest")
	if _, err := os.Stat(program); err != nil {
		t.Skip("known: ", err)
	}
	t.Setenv("FI_TCP_IFACE", "lo")
	config := filepath.Join(t.TempDir(), "c.test")
	if err := os.WriteFile(config, []byte(tests), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, client := range map[string]bool{"C joins": false, "C serves": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), long)
			defer cancel()
			control, service := freeport.Find(), freeport.Find()
			env, out := newEnv(client, config, nil)
			own := env.Opt.Own.(*choices)
			env.Ctx, env.Opt.Provider, own.port, own.once, env.Opt.DstPort = ctx, "", control, true, service
			args := []string{"-q", control, "-P", service, "-u", config, "127.0.0.1"}
			if client {
				env.Opt.Server, args = "127.0.0.1", []string{"-x", "-s", "127.0.0.1", "-q", control}
			} else {
				env.Opt.SrcAddr = "127.0.0.1"
			}
			ready := make(chan struct{})
			env.Ready = func() { close(ready) }
			ended := make(chan error, 1)
			go func() { ended <- run(env) }() // ours waits for a server that is not there yet
			if !client {
				<-ready
			}
			var said bytes.Buffer
			cmd := exec.CommandContext(ctx, program, args...)
			cmd.Stdout, cmd.Stderr = &said, &said
			err := cmd.Run()
			if ours := <-ended; err != nil || ours != nil || !bytes.Contains(said.Bytes(), []byte(want)) || !bytes.Contains(out.Bytes(), []byte(want)) {
				t.Errorf("C's: %v\n%s\nours: %v\n%s", err, said.String(), ours, out)
			}
		})
	}
}
