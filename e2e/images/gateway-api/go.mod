// Nothing of our own: the module brings the CustomResourceDefinitions.
module gateway-api

go 1.24

require sigs.k8s.io/gateway-api v1.3.0
