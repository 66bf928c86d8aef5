# docker buildx bake            builds the image for this machine
# VERSION=1.4.0 docker buildx bake --push release     builds and pushes it for all platforms, with its bill of materials
variable "VERSION" { default = "dev" }
variable "IMAGE" { default = "kyma-operators" }
# Named by digest, they make the image the same bytes everywhere.
variable "BUILD_IMAGE" { default = "node:24-bookworm-slim" }
variable "BASE_IMAGE" { default = "gcr.io/distroless/nodejs24-debian12:nonroot" }
# Seconds since 1970 of the release's commit: git log -1 --format=%ct
variable "SOURCE_DATE_EPOCH" { default = "0" }

group "default" { targets = ["image"] }

target "image" {
  context = "."
  dockerfile = "Dockerfile"
  tags = ["${IMAGE}:${VERSION}"]
  args = {
    SOURCE_DATE_EPOCH = SOURCE_DATE_EPOCH
    BUILD_IMAGE = BUILD_IMAGE
    BASE_IMAGE = BASE_IMAGE
  }
  labels = { "org.opencontainers.image.version" = VERSION }
}

target "release" {
  inherits = ["image"]
  platforms = ["linux/amd64", "linux/arm64"]
  attest = ["type=provenance,mode=max", "type=sbom"]
  output = ["type=image,rewrite-timestamp=true"]
}
