import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import { CACHE_DIR } from "#test/bench/places.ts";

const hex = z.string().regex(/^0x[0-9a-f]+$/);
const artifacts = z.object({
	Drop721: hex,
	Drop1155: hex,
	Coin20: hex,
	Fulfiller: hex,
	Aggregator: hex,
});

/** Creation code of the emitters, by contract. */
export type WorkloadCode = z.infer<typeof artifacts>;

const SOURCE = "Workload.sol";

const compilerOutput = z.object({
	errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
	contracts: z.record(
		z.string(),
		z.record(
			z.string(),
			z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }),
		),
	),
});

/** Compiles the emitters; a second run with the same source and compiler reads the cache. */
export function compileWorkload(): WorkloadCode {
	const require = createRequire(import.meta.url);
	const content = readFileSync(join(import.meta.dir, SOURCE), "utf8");
	const compiler = readFileSync(require.resolve("solc/package.json"), "utf8");
	const key = createHash("sha256").update(compiler).update(content).digest("hex").slice(0, 16);
	const file = join(CACHE_DIR, `workload-${key}.json`);
	try {
		return artifacts.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch {
		// Missing or damaged: compiling again is always right.
	}
	const code = compile(require("solc"), content);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(`${file}.${process.pid}`, JSON.stringify(code));
	renameSync(`${file}.${process.pid}`, file);
	return code;
}

function compile(solc: { compile(input: string): string }, content: string): WorkloadCode {
	const input = {
		language: "Solidity",
		sources: { [SOURCE]: { content } },
		settings: {
			optimizer: { enabled: true, runs: 1_000 },
			evmVersion: "cancun",
			outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
		},
	};
	const output = compilerOutput.parse(JSON.parse(solc.compile(JSON.stringify(input))));
	const failure = output.errors?.find(({ severity }) => severity === "error");
	if (failure) throw new Error(failure.formattedMessage);
	const entries = Object.entries(output.contracts[SOURCE] ?? {});
	const code = entries.map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`]);
	return artifacts.parse(Object.fromEntries(code));
}
