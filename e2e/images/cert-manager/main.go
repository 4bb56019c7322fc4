// One binary that is each of cert-manager's three, chosen by the name it is called by. Its own commands are modules that no
// proxy has; what they put together is put together here, without what the scenarios have no use for: more than one
// replica (the flags about leader election are accepted and ignored), and issuers other than a CA and a self-signed one.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cert-manager/cert-manager/pkg/logs"
)

type command func(ctx context.Context, arguments []string) error

func main() {
	commands := map[string]command{
		"cert-manager-controller": controller,
		"cert-manager-webhook":    webhook,
		"cert-manager-cainjector": caInjector,
	}
	name := filepath.Base(os.Args[0])
	run, known := commands[name]
	if !known {
		fmt.Fprintf(os.Stderr, "call this binary by one of its components' names, not %q\n", os.Args[0])
		os.Exit(2)
	}
	logs.InitLogs()
	ctrl.SetLogger(logs.Log)
	ctx, stop := signal.NotifyContext(logs.NewContext(context.Background(), logs.Log), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if err == pflag.ErrHelp {
			return
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// flags that the chart sets, and of which only some mean anything here.
func flags(name string) *pflag.FlagSet {
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.ParseErrorsAllowlist.UnknownFlags = true
	return set
}
