import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi } from "viem";
import type { Hex } from "#core/chain/Hex.ts";

/** Holds what a contract is deployed from: constructor arguments go behind the creation code. */
type Compiled = { abi: Abi; creation: Hex };

const CACHE = join(import.meta.dir, "../../../node_modules/.cache/tapeline-tokenomics");
const require = createRequire(import.meta.url);

type Output = {
	errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[];
	contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
};

/**
 * Compiles all contracts of a folder beside `testing/` and returns them by name.
 *
 * The result depends on the sources, the compiler and the library alone, and is kept for the next
 * call: compiling takes seconds.
 */
export function compileFolder(folder: "contracts" | "testing/contracts"): Record<string, Compiled> {
	const root = join(import.meta.dir, "..", folder);
	const names = readdirSync(root).filter((name) => name.endsWith(".sol"));
	const sources = Object.fromEntries(
		names.sort().map((name) => [name, { content: readFileSync(join(root, name), "utf8") }]),
	);
	const versions = ["solc/package.json", "@openzeppelin/contracts/package.json"].map((name) =>
		readFileSync(require.resolve(name), "utf8"),
	);
	const input = {
		language: "Solidity",
		sources,
		settings: {
			optimizer: { enabled: true, runs: 10_000 },
			evmVersion: "cancun",
			metadata: { bytecodeHash: "none" },
			// Of our own alone: the library's take longer than ours.
			outputSelection: Object.fromEntries(
				names.map((name) => [name, { "*": ["abi", "evm.bytecode.object"] }]),
			),
		},
	};
	const key = createHash("sha256")
		.update(JSON.stringify([versions, input]))
		.digest("hex");
	const file = join(CACHE, `${key.slice(0, 24)}.json`);
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch {
		const compiled = compile(input);
		mkdirSync(CACHE, { recursive: true });
		// Written beside and renamed, so that two first runs at once cannot leave half a file.
		const draft = `${file}.${process.pid}`;
		writeFileSync(draft, JSON.stringify(compiled));
		renameSync(draft, file);
		return compiled;
	}
}

function compile(input: { sources: object }): Record<string, Compiled> {
	const solc = require("solc");
	const readers = {
		import: (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") }),
	};
	const output: Output = JSON.parse(solc.compile(JSON.stringify(input), readers));
	const ours = (file = "") => Object.keys(input.sources).includes(file);
	// A warning about our own sources counts as an error.
	const flaw = output.errors?.find(({ severity, sourceLocation }) => {
		return severity === "error" || ours(sourceLocation?.file);
	});
	if (flaw) throw new Error(flaw.formattedMessage);
	const own = Object.keys(input.sources).flatMap((name) =>
		Object.entries(output.contracts[name] ?? {}),
	);
	return Object.fromEntries(
		own.map(([name, { abi, evm }]) => [name, { abi, creation: `0x${evm.bytecode.object}` }]),
	);
}
