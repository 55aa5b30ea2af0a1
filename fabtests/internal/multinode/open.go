package multinode

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// nameSize is the bytes in which ranks tell their addresses.
const nameSize = 256

// open opens the endpoint of a rank and inserts those of all, in the order of the ranks.
func (j *job) open(env *scenario.Env, need session.Need) (*session.Session, []fi.Addr, error) {
	side, opt := *env, *env.Opt
	opt.SrcAddr, opt.SrcPort, opt.OOBSync, opt.OOBAddr = "", "", false, false // all those are the rank server's
	side.Opt = &opt
	s, err := session.Alone(&side, need)
	if err != nil {
		return nil, nil, err
	}
	addrs, err := j.meet(s)
	if err != nil {
		s.Close() //nolint:errcheck // the first error is the one to see
		return nil, nil, err
	}
	return s, addrs, nil
}

func (j *job) meet(s *session.Session) ([]fi.Addr, error) {
	name, err := s.EP.Name()
	if err != nil {
		return nil, fail.Call("fi_getname", err)
	}
	if len(name) > nameSize {
		return nil, fail.Call("fi_getname", fi.ErrTooSmall)
	}
	names, err := j.allGather(append(name, make([]byte, nameSize-len(name))...))
	if err != nil {
		return nil, err
	}
	var addrs []fi.Addr
	for i := range j.n {
		var out [1]fi.Addr
		if _, err := s.AV.Insert([][]byte{names[nameSize*i:][:nameSize]}, out[:], 0); err != nil {
			return nil, fail.Call("fi_av_insert", err)
		}
		addrs = append(addrs, out[0])
	}
	return addrs, nil
}
