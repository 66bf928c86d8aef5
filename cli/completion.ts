import { Argument, Command } from "commander";
import type { CommandEntry, CommandFactory, CommandGroup } from "./command.ts";
import type { Io } from "./io.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** `kyma completion bash|zsh|fish`: a script for the shell, made from the commands there are. */
export function completionOf(commands: readonly CommandEntry[]): CommandFactory {
  return (io) => commandOf(io, commands);
}

function commandOf(io: Io, commands: readonly CommandEntry[]): Command {
  return new Command()
    .description("Print a completion script: source <(kyma completion bash), or kyma completion fish | source.")
    .addArgument(new Argument("<shell>", "shell to complete for").choices(shells))
    .action(async (shell: Shell) => {
      io.stdout.write(scripts[shell](await levelsOf([], { commands }, io)));
    });
}

/** What may follow some words of a command line. */
export interface Level {
  /** `` for `kyma` alone, `module enable` for that command. */
  readonly path: string;
  /** Sub-commands, or the flags of a command. */
  readonly words: readonly string[];
  /** The flags that take a value. */
  readonly values: readonly FlagValue[];
  /** Whether something of the user's may stand there, such as a file; flags are offered after a dash alone then. */
  readonly free: boolean;
}

interface FlagValue {
  /** Long and short spelling. */
  readonly flags: readonly string[];
  /** What the value may be; none for files and other texts, which the shell knows better. */
  readonly words: readonly string[];
}

/** Every command with what may follow it. */
async function levelsOf(path: readonly string[], group: CommandGroup, io: Io): Promise<readonly Level[]> {
  const own: Level = { path: path.join(" "), words: group.commands.map(({ name }) => name), values: [], free: false };
  const below = await Promise.all(group.commands.map((entry) => levelsBelow([...path, entry.name], entry, io)));
  return [own, ...below.flat()];
}

async function levelsBelow(path: readonly string[], entry: CommandEntry, io: Io): Promise<readonly Level[]> {
  const loaded = await entry.load();
  if (typeof loaded !== "function") return levelsOf(path, loaded, io);
  const { options, registeredArguments } = loaded(io);
  const shown = options.filter(({ hidden }) => !hidden);
  const flags = shown.flatMap(({ long }) => (typeof long === "string" ? [long] : []));
  const positional = registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const values = shown
    .filter(({ required, optional }) => required || optional)
    .map(({ long, short, argChoices = [] }) => ({
      flags: [long, short].filter((flag) => typeof flag === "string"),
      words: argChoices,
    }));
  const free = registeredArguments.length > 0 && positional.length === 0;
  return [{ path: path.join(" "), words: [...positional, ...flags, "--help"], values, free }];
}

const scripts: Readonly<Record<Shell, (levels: readonly Level[]) => string>> = { bash, zsh, fish };

/**
 * Takes the longest command that the words before the cursor name, and offers what may follow it, or its last flag. Where
 * it offers nothing, the shell offers files.
 */
function bash(levels: readonly Level[]): string {
  const cases = levels.map(({ path, words, free }) => {
    const condition = free ? `[[ "$current" == -* ]] && ` : "";
    return `    "${path}") ${condition}words="${words.join(" ")}" ;;`;
  });
  const known = levels.map(({ path }) => `"${path}"`).join("|");
  const afterFlags = levels.flatMap(({ path, values }) =>
    values.map(({ flags, words }) => {
      const patterns = flags.map((flag) => `"${path} ${flag}"`).join("|");
      return `    ${patterns}) words="${words.join(" ")}" ;;`;
    }),
  );
  return `_kyma() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" next word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in ${known}) path="$next" ;; esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  case "$path $previous" in
${afterFlags.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _kyma kyma
`;
}

function zsh(levels: readonly Level[]): string {
  return `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash(levels)}`;
}

function fish(levels: readonly Level[]): string {
  const known = levels.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const lines = levels.flatMap(({ path, words, values }) => {
    const here = `complete -c kyma -n 'test (__kyma_path) = "${path}"'`;
    const afterFlags = values.flatMap(({ flags: [long = ""], words: offered }) =>
      long.startsWith("--")
        ? [`${here} -l ${long.slice(2)} ${offered.length > 0 ? `-xa "${offered.join(" ")}"` : "-r"}`]
        : [],
    );
    return [`${here} -a "${words.join(" ")}"`, ...afterFlags];
  });
  return `function __kyma_path
  set -l path ""
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    contains -- "$next" ${known.join(" ")}; and set path "$next"
  end
  echo "$path"
end
${lines.join("\n")}
`;
}
