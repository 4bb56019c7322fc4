package main

import (
	"context"

	cmwebhook "github.com/cert-manager/cert-manager/internal/webhook"
	"github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/webhook/options"
)

func webhook(ctx context.Context, arguments []string) error {
	configuration, err := options.NewWebhookConfiguration()
	if err != nil {
		return err
	}
	set := flags("cert-manager-webhook")
	options.AddConfigFlags(set, configuration)
	if err := set.Parse(arguments); err != nil {
		return err
	}
	server, err := cmwebhook.NewCertManagerWebhookServer(logs.Log, *configuration)
	if err != nil {
		return err
	}
	return server.Run(ctx)
}
