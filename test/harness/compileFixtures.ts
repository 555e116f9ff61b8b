// Compiles the Solidity contracts of tests, once per version of their source.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi, Hex } from "viem";

export type Fixture = { abi: Abi; bytecode: Hex };

const SOURCE = join(import.meta.dir, "contracts/Fixtures.sol");
const CACHE = join(import.meta.dir, "../../node_modules/.cache/tapeline-fixtures");

const OWNED_SOURCE = join(import.meta.dir, "contracts/Owned.sol");
const OWNED_CACHE = join(import.meta.dir, "../../node_modules/.cache/tapeline-owned");

/** Compiles the fixture contracts once per version of their source; returns them by name. */
export function compileFixtures(): Record<string, Fixture> {
	const content = readFileSync(SOURCE, "utf8");
	const key = createHash("sha256").update(content).digest("hex").slice(0, 24);
	const file = join(CACHE, `${key}.json`);
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch {
		const fixtures = compile(content);
		mkdirSync(CACHE, { recursive: true });
		const draft = `${file}.${process.pid}`;
		writeFileSync(draft, JSON.stringify(fixtures));
		renameSync(draft, file);
		return fixtures;
	}
}

/**
 * Compiles contracts with real ownership rules, once per version of their source; returns them by
 * name.
 */
export function compileOwned(): Record<string, Fixture> {
	const require = createRequire(import.meta.url);
	const content = readFileSync(OWNED_SOURCE, "utf8");
	const library = readFileSync(require.resolve("@openzeppelin/contracts/package.json"), "utf8");
	const key = createHash("sha256").update(content).update(library).digest("hex").slice(0, 24);
	const file = join(OWNED_CACHE, `${key}.json`);
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch {
		const fixtures = compileOwnedSource(require, content);
		mkdirSync(OWNED_CACHE, { recursive: true });
		const draft = `${file}.${process.pid}`;
		writeFileSync(draft, JSON.stringify(fixtures));
		renameSync(draft, file);
		return fixtures;
	}
}

/**
 * Compiles a contract of `contracts/` without constructor arguments; returns its runtime code and
 * its selectors by signature. It takes a second.
 */
export function compileRuntime(name: string): { code: Hex; selectors: Record<string, string> } {
	const solc = createRequire(import.meta.url)("solc");
	const content = readFileSync(join(import.meta.dir, `contracts/${name}.sol`), "utf8");
	const settings = {
		...{ optimizer: { enabled: true, runs: 1 }, evmVersion: "paris" },
		...{ metadata: { appendCBOR: false } },
		outputSelection: { "*": { "*": ["evm.deployedBytecode.object", "evm.methodIdentifiers"] } },
	};
	const sources = { [name]: { content } };
	const output = JSON.parse(
		solc.compile(JSON.stringify({ language: "Solidity", sources, settings })),
	);
	for (const error of output.errors ?? []) {
		if (error.severity === "error") throw new Error(error.formattedMessage);
	}
	const { evm } = output.contracts[name][name];
	return { code: `0x${evm.deployedBytecode.object}`, selectors: evm.methodIdentifiers };
}

function compile(content: string): Record<string, Fixture> {
	// Loading solc costs a second, so it is required only when it is needed.
	const solc = createRequire(import.meta.url)("solc");
	const input = {
		language: "Solidity",
		sources: { "Fixtures.sol": { content } },
		settings: {
			optimizer: { enabled: true, runs: 200 },
			evmVersion: "cancun",
			outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
		},
	};
	const output = JSON.parse(solc.compile(JSON.stringify(input)));
	for (const error of output.errors ?? []) {
		if (error.severity === "error") throw new Error(error.formattedMessage);
	}
	const fixtures: Record<string, Fixture> = {};
	for (const [name, contract] of Object.entries<{
		abi: Abi;
		evm: { bytecode: { object: string } };
	}>(output.contracts["Fixtures.sol"])) {
		fixtures[name] = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
	}
	return fixtures;
}

function compileOwnedSource(require: NodeJS.Require, content: string): Record<string, Fixture> {
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
