package runner

import (
	"encoding/json"
	"io"
	"time"
)

// jsonResult is a line of --json.
type jsonResult struct {
	Provider string     `json:"provider"`
	Set      string     `json:"set"`
	Test     string     `json:"test"`
	Scenario string     `json:"scenario"`
	Args     []string   `json:"args"`
	Result   Verdict    `json:"result"`
	Counted  int        `json:"counted,omitempty"` // of a test that is many: those that made the verdict …
	Total    int        `json:"total,omitempty"`   // … and all that ran
	Reason   string     `json:"reason,omitempty"`
	Said     string     `json:"said,omitempty"` // the last error that a process has told
	Again    string     `json:"again"`
	Began    time.Time  `json:"began"`
	Seconds  float64    `json:"seconds"`
	Sides    []jsonSide `json:"sides,omitempty"`
}

type jsonSide struct {
	Side    string `json:"side,omitempty"`
	Command string `json:"command"`
	Status  int    `json:"status"`
	Stopped bool   `json:"stopped,omitempty"`
	Output  string `json:"output,omitempty"`
}

// WriteJSON prints a result as one line. The output of its processes is there for tests that failed, and for others as with
// Table.
func WriteJSON(w io.Writer, r Result, verbose int) error {
	j := jsonResult{Provider: r.Provider, Set: r.Set, Test: r.Title(), Scenario: r.Name, Args: append([]string{}, r.Args...), Result: r.Verdict, Counted: r.Counted, Total: r.Total,
		Reason: r.Reason, Said: r.Said, Again: r.Again(), Began: r.Began.UTC(), Seconds: seconds(r.Took)}
	for _, s := range r.Sides {
		side := jsonSide{Side: s.Who, Command: s.Command, Status: s.Status, Stopped: s.Stopped}
		if detailed(r.Verdict, max(1, verbose)) {
			side.Output = s.Output
		}
		j.Sides = append(j.Sides, side)
	}
	line, err := json.Marshal(j)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
