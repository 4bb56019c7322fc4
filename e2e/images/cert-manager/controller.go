package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	controllers "github.com/cert-manager/cert-manager/pkg/controller"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

const workers = 5

func controller(ctx context.Context, arguments []string) error {
	options := controllers.ContextOptions{
		KubernetesAPIQPS:   20,
		KubernetesAPIBurst: 50,
		CertificateOptions: controllers.CertificateOptions{
			CopiedAnnotationPrefixes:                 []string{"*", "-kubectl.kubernetes.io/", "-fluxcd.io/", "-argocd.argoproj.io/"},
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	}
	set := flags("cert-manager-controller")
	set.StringVar(&options.ClusterResourceNamespace, "cluster-resource-namespace", "kube-system", "where the Secrets of ClusterIssuers are")
	if err := set.Parse(arguments); err != nil {
		return err
	}
	factory, err := controllers.NewContextFactory(ctx, options)
	if err != nil {
		return err
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	failed := make(chan error, len(controllers.Known()))
	for name, construct := range controllers.Known() {
		controller, err := construct(factory)
		if err != nil {
			return fmt.Errorf("controller %s: %w", name, err)
		}
		running.Go(func() { failed <- controller.Run(workers, ctx) })
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	go func() { failed <- alive() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		running.Wait()
		return nil
	}
}

// alive answers the chart's liveness probe: whoever answers at all runs, for a controller that ends ends the process.
func alive() error {
	mux := http.NewServeMux()
	mux.HandleFunc("/livez", func(http.ResponseWriter, *http.Request) {})
	server := http.Server{Addr: ":9403", Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}
