// Compiles the sandbox's contracts, or reads them from the cache.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Hex, isHex } from "viem";
import { z } from "zod";

const ownSources = [
	"SandboxArt.sol",
	"Sandbox721.sol",
	"Sandbox1155.sol",
	"SandboxCoin.sol",
	"SandboxFeed.sol",
	"SandboxDepository.sol",
	"SandboxApprovalProxy.sol",
	"SandboxOft.sol",
	"SandboxDollar.sol",
	"SandboxTether.sol",
	"SandboxToken.sol",
	"SandboxStock.sol",
	"StockFeed.sol",
	"StockMaker.sol",
	"V4Maker.sol",
	"SandboxHook.sol",
	"SandboxReveal.sol",
	"TokenMaker.sol",
];
const wethSource = "solady/src/tokens/WETH.sol";
const wanted = {
	Sandbox721: "Sandbox721.sol",
	Sandbox1155: "Sandbox1155.sol",
	SandboxCoin: "SandboxCoin.sol",
	SandboxFeed: "SandboxFeed.sol",
	SandboxDepository: "SandboxDepository.sol",
	SandboxApprovalProxy: "SandboxApprovalProxy.sol",
	SandboxOft: "SandboxOft.sol",
	SandboxDollar: "SandboxDollar.sol",
	SandboxTether: "SandboxTether.sol",
	SandboxToken: "SandboxToken.sol",
	SandboxStockFactory: "SandboxStock.sol",
	StockFeed: "StockFeed.sol",
	StockMaker: "StockMaker.sol",
	SandboxHook: "SandboxHook.sol",
	SandboxReveal: "SandboxReveal.sol",
	TokenMaker: "TokenMaker.sol",
	WETH: wethSource,
};

const hex = z.custom<Hex>((value) => isHex(value));
const Artifact = z.object({ creation: hex, runtime: hex });
const Artifacts = z.object({
	Sandbox721: Artifact,
	Sandbox1155: Artifact,
	SandboxCoin: Artifact,
	SandboxFeed: Artifact,
	SandboxDepository: Artifact,
	SandboxApprovalProxy: Artifact,
	SandboxOft: Artifact,
	SandboxDollar: Artifact,
	SandboxTether: Artifact,
	SandboxToken: Artifact,
	SandboxStockFactory: Artifact,
	StockFeed: Artifact,
	StockMaker: Artifact,
	SandboxHook: Artifact,
	SandboxReveal: Artifact,
	TokenMaker: Artifact,
	WETH: Artifact,
});
/** Creation and runtime code of the world's own contracts. */
export type Artifacts = z.infer<typeof Artifacts>;

const code = z.object({ object: z.string() });
const CompilerOutput = z.object({
	errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
	contracts: z
		.record(
			z.string(),
			z.record(z.string(), z.object({ evm: z.object({ bytecode: code, deployedBytecode: code }) })),
		)
		.optional(),
});

/**
 * Compiles the world's contracts, or reads them from `node_modules/.cache`.
 *
 * Loading solc alone costs over a second, so it is required only on a miss; the
 * cache key holds the compiler's version and every source it could read.
 */
export function compileContracts(): Artifacts {
	const require = createRequire(import.meta.url);
	const solcVersion = readFileSync(require.resolve("solc/package.json"), "utf8");
	const openzeppelin = readFileSync(
		require.resolve("@openzeppelin/contracts/package.json"),
		"utf8",
	);
	const own = Object.fromEntries(
		ownSources.map((name) => [
			name,
			{ content: readFileSync(join(import.meta.dir, "contracts", name), "utf8") },
		]),
	);
	const weth = { content: readFileSync(require.resolve(wethSource), "utf8") };
	const input = {
		language: "Solidity",
		sources: { ...own, [wethSource]: weth },
		settings: {
			optimizer: { enabled: true, runs: 200 },
			evmVersion: "cancun",
			outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object"] } },
		},
	};
	const key = createHash("sha256")
		.update(JSON.stringify([solcVersion, openzeppelin, input]))
		.digest("hex");
	const root = dirname(dirname(require.resolve("solc/package.json")));
	const file = join(root, ".cache", "tapeline-sandbox", `${key.slice(0, 32)}.json`);
	return readCache(file) ?? compile(require, { input, file });
}

function readCache(file: string): Artifacts | undefined {
	try {
		return Artifacts.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch {
		return undefined; // absent or damaged: compiling again is always right
	}
}

function compile(require: NodeJS.Require, job: { input: object; file: string }): Artifacts {
	const solc: { compile(input: string, readers: object): string } = require("solc");
	const output = CompilerOutput.parse(
		JSON.parse(
			solc.compile(JSON.stringify(job.input), {
				import: (path: string) => readImport(require, path),
			}),
		),
	);
	const failed = output.errors?.find((error) => error.severity === "error");
	if (failed) throw new Error(failed.formattedMessage);
	const entries = Object.entries(wanted).map(([name, source]) => {
		const evm = output.contracts?.[source]?.[name]?.evm;
		return [
			name,
			{ creation: `0x${evm?.bytecode.object}`, runtime: `0x${evm?.deployedBytecode.object}` },
		];
	});
	const artifacts = Artifacts.parse(Object.fromEntries(entries));
	writeCache(job.file, artifacts);
	return artifacts;
}

function readImport(
	require: NodeJS.Require,
	path: string,
): { contents: string } | { error: string } {
	try {
		return { contents: readFileSync(require.resolve(path), "utf8") };
	} catch {
		return { error: `no such source: ${path}` };
	}
}

/** Writes to a draft and renames it, so that two first starts at once cannot leave half a file. */
function writeCache(file: string, artifacts: Artifacts): void {
	try {
		mkdirSync(dirname(file), { recursive: true });
		const draft = `${file}.${process.pid}`;
		writeFileSync(draft, JSON.stringify(artifacts));
		renameSync(draft, file);
	} catch {
		// A read-only node_modules only costs a few seconds at each start.
	}
}
