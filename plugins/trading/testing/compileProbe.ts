import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Hex } from "#core/chain/Hex.ts";

const SOURCE = join(import.meta.dir, "../../../test/harness/contracts/SwapProbe.sol");

/** Compiles the code that stands at a wallet's address while a swap is simulated. */
export function compileProbe(): Hex {
	const solc = createRequire(import.meta.url)("solc");
	const content = readFileSync(SOURCE, "utf8");
	const input = {
		language: "Solidity",
		sources: { "SwapProbe.sol": { content } },
		settings: {
			optimizer: { enabled: true, runs: 200 },
			evmVersion: "paris",
			metadata: { appendCBOR: false, bytecodeHash: "none" },
			outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
		},
	};
	const output = JSON.parse(solc.compile(JSON.stringify(input)));
	const failed = output.errors?.find(({ severity }: { severity: string }) => severity === "error");
	if (failed) throw new Error(failed.formattedMessage);
	return `0x${output.contracts["SwapProbe.sol"].SwapProbe.evm.deployedBytecode.object}`;
}
