const least = [24, 15];

/**
 * True when this Node is new enough; otherwise prints one line with the way out and sets exit code 1.
 *
 * Uses nothing that a Node of the last years could not parse.
 */
export function requireNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return true;
  console.error(
    `Error: Node.js ${least.join(".")} or newer is needed, this is ${process.versions.node}: install a current release, or run it through "npx kyma" in the project, which brings its own`,
  );
  process.exitCode = 1;
  return false;
}
