import { hasCode } from "@kyma-operators/errors";

/** The result, or undefined when the object does not exist (`KUBE_NOT_FOUND`); other failures are thrown. */
export async function optional<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (hasCode(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}
