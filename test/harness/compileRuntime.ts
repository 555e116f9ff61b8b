import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Hex } from "viem";

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
