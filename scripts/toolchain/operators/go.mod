module parley/toolchain/operators

go 1.26

require (
	github.com/cloudnative-pg/cloudnative-pg v1.27.0
	github.com/kedacore/keda/v2 v2.18.0
	sigs.k8s.io/secrets-store-csi-driver v1.5.3
)
