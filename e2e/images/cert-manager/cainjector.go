package main

import (
	"context"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	"github.com/cert-manager/cert-manager/pkg/util"
)

func caInjector(ctx context.Context, arguments []string) error {
	if err := flags("cert-manager-cainjector").Parse(arguments); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		kubernetes.AddToScheme, admissionregistration.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme, certmanager.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	// The field manager of what it applies comes from there, and must not be empty.
	config = util.RestConfigWithUserAgent(config, "cainjector")
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		// Of Secrets only the metadata are watched: the content is read when it is wanted.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&core.Secret{}}}},
	})
	if err != nil {
		return err
	}
	everything := map[string]bool{
		cainjector.MutatingWebhookConfigurationName:   true,
		cainjector.ValidatingWebhookConfigurationName: true,
		cainjector.APIServiceName:                     true,
		cainjector.CustomResourceDefinitionName:       true,
	}
	options := cainjector.SetupOptions{EnableCertificatesDataSource: true, EnabledReconcilersFor: everything}
	if err := cainjector.RegisterAllInjectors(ctx, manager, options); err != nil {
		return err
	}
	return manager.Start(ctx)
}
