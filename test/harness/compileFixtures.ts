import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi, Hex } from "viem";

export type Fixture = { abi: Abi; bytecode: Hex };

const SOURCE = join(import.meta.dir, "contracts/Fixtures.sol");
const CACHE = join(import.meta.dir, "../../node_modules/.cache/tapeline-fixtures");

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
