package archtest

import (
	"path"
	"slices"
	"strings"
)

// matches tells whether a package path is one that the pattern names.
func matches(pattern, pkg string) bool {
	switch pattern {
	case "*":
		return true
	case "std":
		first, _, _ := strings.Cut(pkg, "/")
		return !strings.Contains(first, ".") && pkg != "C"
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	return pkg == pattern
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, pkg) })
}

// unit gives the folder that counts as one thing: a provider below providers, else the first folder.
func unit(pkg string) string {
	parts := strings.Split(pkg, "/")
	n := 2
	if len(parts) > 2 && parts[1] == "providers" {
		n = 3
	}
	return strings.Join(parts[:min(n, len(parts))], "/")
}

func (r *rule) covers(f *File) bool {
	pkg := "./" + f.Dir()
	if f.Test && !r.tests || !matchesAny(r.in, pkg) || matchesAny(r.except, pkg) {
		return false
	}
	return !slices.ContainsFunc(r.files, func(glob string) bool {
		a, _ := path.Match(glob, f.Name())
		b, _ := path.Match(glob, f.Path)
		return a || b
	})
}

func (r *rule) forbids(from, imp string) bool {
	if r.self && unit(from) == unit(imp) {
		return false
	}
	// The more exact pattern wins, a prohibition over a permission.
	return mostExact(r.deny, imp) > 0 && mostExact(r.deny, imp) >= mostExact(r.allow, imp)
}

// mostExact rates the most exact of the patterns that match pkg; 0 when none does.
func mostExact(patterns []string, pkg string) int {
	best := 0
	for _, p := range patterns {
		if !matches(p, pkg) {
			continue
		}
		rate := 2 * len(p)
		switch {
		case p == "*":
			rate = 1
		case p == "std":
			rate = 2
		case strings.HasSuffix(p, "/..."):
			rate = 2*len(p) - len("/...") - 1
		}
		best = max(best, rate)
	}
	return best
}

// CheckImports finds imports that a rule forbids.
func CheckImports(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Files {
		for _, imp := range f.Imports() {
			for i := range rules {
				if r := &rules[i]; r.covers(f) && r.forbids("./"+f.Dir(), imp.Path) {
					found = append(found, Finding{f.Path, imp.Line, r.name, "imports " + imp.Path + ": " + r.why})
				}
			}
			if want, ok := aliases[imp.Path]; ok && imp.Alias != want {
				found = append(found, Finding{f.Path, imp.Line, "alias", "import it as " + orItsName(want) +
					": readers are never in doubt which atomic is meant"})
			}
		}
	}
	return found
}

// aliases are the names that some packages are imported by; "" is their own.
var aliases = map[string]string{"./atomic": "fiatomic", "sync/atomic": ""}

func orItsName(alias string) string {
	if alias == "" {
		return "atomic"
	}
	return alias
}
