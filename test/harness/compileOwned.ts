import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi } from "viem";
import type { Fixture } from "#test/harness/compileFixtures.ts";

const SOURCE = join(import.meta.dir, "contracts/Owned.sol");
const CACHE = join(import.meta.dir, "../../node_modules/.cache/tapeline-owned");

/**
 * Compiles contracts with real ownership rules, once per version of their source; returns them by
 * name.
 */
export function compileOwned(): Record<string, Fixture> {
	const require = createRequire(import.meta.url);
	const content = readFileSync(SOURCE, "utf8");
	const library = readFileSync(require.resolve("@openzeppelin/contracts/package.json"), "utf8");
	const key = createHash("sha256").update(content).update(library).digest("hex").slice(0, 24);
	const file = join(CACHE, `${key}.json`);
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch {
		const fixtures = compile(require, content);
		mkdirSync(CACHE, { recursive: true });
		const draft = `${file}.${process.pid}`;
		writeFileSync(draft, JSON.stringify(fixtures));
		renameSync(draft, file);
		return fixtures;
	}
}

function compile(require: NodeJS.Require, content: string): Record<string, Fixture> {
	const solc = require("solc");
	const input = {
		language: "Solidity",
		sources: { "Owned.sol": { content } },
		settings: {
			optimizer: { enabled: true, runs: 200 },
			evmVersion: "cancun",
			outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
		},
	};
	const readers = {
		import: (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") }),
	};
	const output = JSON.parse(solc.compile(JSON.stringify(input), readers));
	for (const error of output.errors ?? []) {
		if (error.severity === "error") throw new Error(error.formattedMessage);
	}
	type Compiled = Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>;
	const contracts: Compiled = output.contracts["Owned.sol"];
	const entries = Object.entries(contracts).map(([name, { abi, evm }]): [string, Fixture] => {
		return [name, { abi, bytecode: `0x${evm.bytecode.object}` }];
	});
	return Object.fromEntries(entries);
}
