import type { AnyObject } from "@kyma-operators/kube";
import type { PrinterColumn } from "../resources/resource.ts";

/** Collection of the definitions themselves. */
export const definitions = "apiextensions.k8s.io/customresourcedefinitions";

/** `customresourcecleanup` keeps a definition until its instances are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export interface DefinitionNames {
  readonly plural: string;
  readonly kind: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: Readonly<Record<string, unknown>> };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** `apiextensions.k8s.io/v1` CustomResourceDefinition, after validation. */
export interface Definition extends AnyObject {
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: DefinitionNames;
    readonly versions: readonly DefinitionVersion[];
    readonly preserveUnknownFields?: boolean;
  };
  readonly status?: {
    readonly conditions?: readonly DefinitionCondition[] | null;
    readonly acceptedNames?: Partial<DefinitionNames>;
    readonly storedVersions?: readonly string[];
  };
}
