import { join } from "node:path";
import type { AnyObject } from "@kyma-operators/kube";
import type { OwnImageOptions } from "../../options.ts";
import { listAt, textAt } from "../../resources/kinds/edit.ts";

/** Whether every container of the Pod is of an image that is run here. */
export function isOfOwnImage(pod: AnyObject, { names }: Pick<OwnImageOptions, "names">): boolean {
  const containers = [...listAt(pod, "spec", "initContainers"), ...listAt(pod, "spec", "containers")];
  return (
    containers.length > 0 && containers.every((container) => names.includes(imageName(textAt(container, "image"))))
  );
}

/** The name without registry, tag and digest: `web` of `registry.example:5000/team/web:1.0@sha256:…`. */
function imageName(image: string): string {
  return (
    (image.split("@")[0] ?? "")
      .split("/")
      .at(-1)
      ?.replace(/:[^:]*$/, "") ?? ""
  );
}

/** Where the files of a Pod are, its logs above all. */
export function podFolder({ dataDir }: OwnImageOptions, { metadata }: AnyObject): string {
  return join(dataDir, `${metadata.namespace}_${metadata.name}_${metadata.uid}`);
}
