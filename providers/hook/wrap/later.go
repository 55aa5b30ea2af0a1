package wrap

import "sync"

// Later does things in order, soon, and without the locks of who asks for them: writing lines of which it was told with
// a domain's lock held. The zero value is ready; it is safe for concurrent use.
type Later struct {
	mu      sync.Mutex
	todo    []func() // guarded by mu
	running bool     // somebody does them; guarded by mu
	ended   sync.Cond
}

// Do has f done by a goroutine, after what was asked before.
func (l *Later) Do(f func()) {
	l.mu.Lock()
	l.todo = append(l.todo, f)
	start := !l.running
	l.running = true
	l.mu.Unlock()
	if start {
		go l.run()
	}
}

// Now has f done by the caller, after what was asked before; by somebody else, when that one is at it. No lock may be held.
func (l *Later) Now(f func()) {
	l.mu.Lock()
	l.todo = append(l.todo, f)
	start := !l.running
	l.running = true
	l.mu.Unlock()
	if start {
		l.run()
	}
}

// Settle waits until all is done that was asked before. No lock may be held, and it may not be called by what is done.
func (l *Later) Settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended.L = &l.mu
	for l.running {
		l.ended.Wait()
	}
}

func (l *Later) run() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.todo) > 0 {
		todo := l.todo
		l.todo = nil
		l.mu.Unlock()
		for _, f := range todo {
			f()
		}
		l.mu.Lock()
	}
	l.running = false
	l.ended.Broadcast()
}
