package driver

// Wrapper is an object that stands before one of another provider, as those of hooks do. It may implement every optional
// interface by handing calls on: [Ability] sees those that the inner object has.
type Wrapper interface {
	// Inner is the object that it stands before.
	Inner() any
}

// Ability looks up an optional interface of a provider's object, such as [Namer]: the object must implement it and, if
// it is a [Wrapper], what it stands before, too. Package fabric calls it when an object is opened or set up, never for an
// operation; so must others who ask for optional interfaces.
func Ability[T any](o any) (ability T, ok bool) {
	if ability, ok = o.(T); !ok {
		return ability, false
	}
	if w, wraps := o.(Wrapper); wraps {
		if _, ok = Ability[T](w.Inner()); !ok {
			var none T
			return none, false
		}
	}
	return ability, true
}

// Refuser is an [Endpoint] that wants to hear when package fabric refuses to enable it because something is not bound:
// the provider is not asked then. Wrappers hand it on.
type Refuser interface {
	Refused(err error)
}
