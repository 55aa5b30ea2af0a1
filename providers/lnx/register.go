package lnx

import "github.com/gofabric/gofabric/fabric"

func init() { fabric.Register(New(fabric.Providers)) }
