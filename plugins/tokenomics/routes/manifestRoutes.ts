// Serves the manifest of the token's contracts to operators.

import { Elysia } from "elysia";
import { z } from "zod";
import { BLOCK_NUMBER_MAX } from "#core/chain/Hex.ts";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import { Fault } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import { invalidTokenomics, tokenomicsFault } from "#plugins/tokenomics/faults.ts";
import { address, CHECK_TIMEOUT_MS } from "#plugins/tokenomics/limits.ts";
import { type Contracts, checkContracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { type Manifest, manifests } from "#plugins/tokenomics/sql/followed.ts";

const CONTRACT = { pattern: ANY_CASE_ADDRESS_PATTERN, examples: [`0x${"7a".repeat(20)}`] };
const contract = (description: string) => address.meta({ ...CONTRACT, description });
const VERSION_MAX = 1_000_000;

const bodySchema = z
	.strictObject({
		chainId: z
			.int()
			.min(1)
			.meta({ description: "EIP-155 id of the chain.", examples: [4_663] }),
		version: z
			.int()
			.min(0)
			.max(VERSION_MAX)
			.meta({
				description: "The version that this replaces, as it was read; 0 where there is none.",
				examples: [0],
			}),
		token: contract("The token."),
		revenueRouter: contract("What splits revenue; null: there is none.").nullable().default(null),
		buybackBurner: contract("What buys and burns the token; null: there is none.")
			.nullable()
			.default(null),
		owner: contract("Whom router and burner must name as their owner."),
		fromBlock: z
			.int()
			.min(0)
			.max(BLOCK_NUMBER_MAX)
			.default(0)
			.meta({
				description: "Nothing of these contracts is before this block.",
				examples: [0],
			}),
	})
	.meta({ id: "NewContractManifest", description: "The contracts of the token on a chain." });

const nullable = (description: string) => field.addressText(description).nullable();
const manifestSchema = z
	.object({
		chainId: field.integer("EIP-155 id of the chain.", 4_663),
		version: field.integer("Grows with each change; 0: operators set none.", 1),
		source: z.enum(["manifest", "configuration", "none"]).meta({
			description:
				"Who says which contracts count: operators, the environment's variables, or nobody.",
		}),
		token: nullable("The token; null: it is not launched."),
		revenueRouter: nullable("What splits revenue."),
		buybackBurner: nullable("What buys and burns the token."),
		owner: nullable("Whom router and burner named when the manifest was set; null: not asked."),
		fromBlock: field.integer("Nothing of these contracts is before this block.", 0),
		setBy: field.text("`operator:` and the x-admin-actor who set it.", "operator:ops").nullable(),
		setAt: field.time("When it was set.").nullable(),
	})
	.meta({ id: "ContractManifest", description: "The contracts of the token that are in force." });

const querySchema = z.object({
	chainId: z
		.string()
		.regex(/^[1-9][0-9]{0,15}$/, "must be the id of a chain")
		.transform(Number)
		.pipe(z.int())
		.optional()
		.meta({
			...{ type: "integer", examples: [4_663] },
			description: "EIP-155 id of the chain; the home chain unless given.",
		}),
});

type ManifestRoutesOptions = {
	core: Pick<Core, "db" | "clock" | "audit" | "operators" | "reached" | "metrics">;
	contracts: Contracts;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

/** Serves to operators which contracts are the token's on each chain; they set it too. */
export function manifestRoutes(options: ManifestRoutesOptions) {
	const { core, contracts } = options;
	const about = { tags: ["admin"], security: [{ admin: [] as string[] }] };
	const set = createSetting(options);
	return (
		new Elysia({ prefix: "/v1/admin/contracts" })
			// Before anything is validated: a stranger learns nothing but that a key is wanted.
			.derive(({ request }) => ({ operator: core.operators.authenticate(request) }))
			.get(
				"/manifest",
				async ({ query, set: answer }) => {
					answer.headers["cache-control"] = "no-store";
					const chainId = query.chainId ?? contracts.homeChain?.id;
					if (chainId === undefined) throw tokenomicsFault.chainNotReached();
					return shown(options, chainId);
				},
				{
					...{ query: querySchema, response: { 200: manifestSchema } },
					detail: {
						...{ ...about, operationId: "getContractManifest" },
						summary: "Reads the token's contracts on a chain",
						description: "Those in force: of the manifest, else of the configuration.",
						...canFail(tokenomicsFault.chainNotReached),
					},
				},
			)
			.put(
				"/manifest",
				async ({ body, operator: { actor }, set: answer }) => {
					answer.headers["cache-control"] = "no-store";
					await set(body, actor);
					return shown(options, body.chainId);
				},
				{
					...{ body: bodySchema, response: { 200: manifestSchema } },
					detail: {
						...{ ...about, operationId: "setContractManifest" },
						summary: "Names the token's contracts on a chain",
						description:
							"Each is asked on chain first: code, interface, owner, and the burner's token. It counts in " +
							"every process from the answer on, in place of the variables. Written to the audit log.",
						...canFail(
							...[tokenomicsFault.manifestVersion, tokenomicsFault.contractWithoutCode],
							...[tokenomicsFault.contractInterface, tokenomicsFault.contractOwner],
							...[tokenomicsFault.burnerToken, tokenomicsFault.chainNotReached],
						),
					},
				},
			)
	);
}

/** Returns what checks a manifest and stores it with its line in the audit log, or neither. */
function createSetting({ core, ending }: ManifestRoutesOptions) {
	const { db, clock, audit, reached, metrics } = core;
	const refusals = metrics.counter({
		name: "token_manifest_refusals_total",
		help: "Manifests of the token's contracts that were refused, by code.",
		labels: ["code"],
	});
	async function store(body: z.output<typeof bodySchema>, actor: string): Promise<void> {
		const { chainId, token, revenueRouter: router, buybackBurner: burner, owner } = body;
		const named = [token, router, burner].filter((one) => one !== null);
		if (new Set(named).size < named.length) throw invalidTokenomics("token", "is named twice");
		const access = reached.find(({ chain }) => chain.id === chainId);
		if (!access) throw tokenomicsFault.chainNotReached();
		const before = await manifests.read(db, chainId);
		// Asked before the chain is: whoever reads an old version learns so at once.
		if (body.version !== (before?.version ?? 0)) throw tokenomicsFault.manifestVersion();
		const signal = AbortSignal.any([ending, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
		await checkContracts(access.rpcFor("requests"), { token, router, burner, owner }, signal);
		const manifest: Manifest = {
			...{ chainId, token, router, burner, owner, fromBlock: body.fromBlock },
			...{ version: body.version + 1, setBy: `operator:${actor}`, setAt: new Date(clock.nowMs()) },
		};
		await db.transaction(async (tx) => {
			if (!(await manifests.add(tx, manifest))) throw tokenomicsFault.manifestVersion();
			await audit.append(tx, {
				...{ actor: manifest.setBy, action: "token.manifest.set", subject: `chain:${chainId}` },
				detail: { before: before && contractsIn(before), after: contractsIn(manifest) },
			});
		});
	}
	return async (body: z.output<typeof bodySchema>, actor: string) => {
		try {
			await store(body, actor);
		} catch (error) {
			refusals.inc({ code: error instanceof Fault ? error.code : "failed" });
			throw error;
		}
	};
}

function contractsIn({ version, token, router, burner, owner, fromBlock }: Manifest) {
	return { version, token, router, burner, owner, fromBlock };
}

async function shown(
	{ core: { db }, contracts }: ManifestRoutesOptions,
	chainId: number,
): Promise<z.output<typeof manifestSchema>> {
	const manifest = await manifests.read(db, chainId);
	if (manifest) {
		const { version, token, router, burner, owner, fromBlock, setBy, setAt } = manifest;
		return {
			...{ chainId, version, source: "manifest", token, owner, fromBlock, setBy },
			...{ revenueRouter: router, buybackBurner: burner, setAt: setAt.toISOString() },
		};
	}
	const found = await contracts.addressesOf(chainId);
	return {
		...{ chainId, version: 0, source: found ? "configuration" : "none", owner: null },
		...{ token: found?.token ?? null, revenueRouter: found?.router ?? null },
		...{ buybackBurner: found?.burner ?? null, fromBlock: found?.fromBlock ?? 0 },
		...{ setBy: null, setAt: null },
	};
}
