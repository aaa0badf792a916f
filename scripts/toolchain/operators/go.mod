module parley/toolchain/operators

go 1.26

require (
	github.com/cloudnative-pg/cloudnative-pg v1.27.0
	github.com/kedacore/keda/v2 v2.18.0
)
