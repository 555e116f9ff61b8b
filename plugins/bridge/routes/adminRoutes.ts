// Serves operators' routes about bridges.

import { Elysia } from "elysia";
import { z } from "zod";
import {
	ANY_CASE_ADDRESS_PATTERN,
	ANY_CASE_WORD_PATTERN,
	anyCaseAddressSchema,
	anyCaseWordSchema,
} from "#core/chain/hexSchemas.ts";
import { field } from "#core/http/openapi/schema.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import type { Bridges } from "#plugins/bridge/bridges/createBridges.ts";
import { bridgeSchema } from "#plugins/bridge/bridges/renderBridge.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { operateBridges, shownArrival } from "#plugins/bridge/operator/operateBridges.ts";
import { PIN_ROLES } from "#plugins/bridge/sql/pins.ts";

const LISTED_MAX = 200;

const params = z.object({
	id: z.string().meta({
		description: "A bridge, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});
const chainParams = z.object({
	chainId: z
		.string()
		.regex(/^[1-9][0-9]{0,15}$/, "must be the id of a chain")
		.transform(Number)
		.pipe(z.int())
		.meta({ type: "integer", description: "EIP-155 id of the chain.", examples: [8_453] }),
});
const switchBody = z
	.strictObject({ enabled: field.flag("Whether bridges lead over the chain.") })
	.meta({ id: "BridgeChainSwitch", description: "A chain, in or out." });
const switchAnswer = z
	.object({
		chainId: field.integer("The chain.", 8_453),
		enabled: field.flag("Whether bridges lead over it. BRIDGE_DENIED_CHAIN_IDS wins over it."),
		previous: field.flag("What was set before; null: nothing.").nullable(),
	})
	.meta({ id: "BridgeChainSwitched", description: "A chain after its switch." });
const pinRole = z.enum(PIN_ROLES).meta({
	description:
		"`depository` takes deposits, `proxy` takes what owners signed for, `solver` signs orders and " +
		"pays, `filler` may be named by an order as what fills it or pays it back.",
});
const pinBody = z
	.strictObject({
		role: pinRole,
		address: z
			.string()
			.regex(new RegExp(ANY_CASE_ADDRESS_PATTERN))
			.meta({ description: "The contract or solver.", examples: [`0x${"5d".repeat(20)}`] }),
		codeHash: z
			.string()
			.regex(new RegExp(ANY_CASE_WORD_PATTERN))
			.optional()
			.meta({
				description:
					"Of a `depository` or `proxy`: the hash of the code that you looked at. Without it, or where " +
					"the contract has another one, nothing is pinned, and the refusal names the hash that it has.",
				examples: [`0x${"5d".repeat(32)}`],
			}),
	})
	.meta({ id: "BridgeContractPin", description: "An address of the provider's that is trusted." });
const acceptBody = z
	.strictObject({
		transactionHash: z
			.string()
			.regex(new RegExp(ANY_CASE_WORD_PATTERN))
			.meta({ description: "As `arrived` says it.", examples: [`0x${"5d".repeat(32)}`] }),
		amountRaw: field.digits("As `arrived` says it.", "700000000"),
		currency: z
			.string()
			.regex(new RegExp(ANY_CASE_ADDRESS_PATTERN))
			.meta({ description: "As `arrived` says it.", examples: [`0x${"5d".repeat(20)}`] }),
	})
	.meta({ id: "BridgeShownArrival", description: "What was found of a bridge, and is accepted." });
const pinAnswer = z
	.object({
		pins: z
			.array(
				z
					.object({
						...{ chainId: field.integer("The chain.", 8_453), role: pinRole },
						address: field.addressText("The contract or solver."),
						codeHash: field
							.hashText("Of its code, and of what is behind it; null: none was read.")
							.nullable(),
					})
					.meta({ id: "BridgePin", description: "One address that is trusted." }),
			)
			.meta({ description: "All that are trusted on the chain." }),
	})
	.meta({ id: "BridgePins", description: "What bridging trusts on a chain." });
const listSchema = z
	.object({
		bridges: z.array(bridgeSchema).meta({ description: "Open ones, the newest first." }),
		hasMore: field.flag(`Whether there are more than ${LISTED_MAX}.`),
	})
	.meta({ id: "OpenBridgeList", description: "Bridges that are not at their end." });

/** Returns operators' routes: behind the API key, with each change in the audit log. */
export function adminRoutes(context: BridgeContext, bridges: Bridges) {
	// Each change is written to the audit log, with its actor, by what is called here.
	const operations = operateBridges(context, { bridges, goOn: bridges.goOn });
	const deps = { context, operations };
	return new Elysia({ prefix: "/v1/admin" })
		.use(bridgeRoutes(deps))
		.use(wordRoute(deps, LOOK))
		.use(wordRoute(deps, CLOSE))
		.use(acceptRoute(deps))
		.use(chainRoutes(deps));
}

type Deps = { context: BridgeContext; operations: ReturnType<typeof operateBridges> };
type Word = {
	word: "look" | "close";
	operationId: string;
	summary: string;
	description: string;
};

const about = { tags: ["admin"], security: [{ admin: [] as string[] }] };
const LOOK: Word = {
	...{ word: "look", operationId: "refreshBridge", summary: "Looks for a bridge's money now" },
	description: "Of any that is not at its end, however long ago it was given up.",
};
const CLOSE: Word = {
	...{ word: "close", operationId: "closeBridge", summary: "Ends what nobody finds" },
	description: "It is `failure`, and is looked for no more until somebody asks for a look.",
};

/**
 * Asks for the admin key before anything is validated: a stranger learns only that one is needed.
 */
function guarded({ context: { core } }: Deps) {
	return new Elysia().derive(({ request }) => ({
		operator: core.operators.authenticate(request),
	}));
}

function bridgeRoutes(deps: Deps) {
	const { operations } = deps;
	return guarded(deps)
		.get(
			"/bridges",
			async ({ set }) => {
				set.headers["cache-control"] = "no-store";
				return await operations.list(LISTED_MAX);
			},
			{
				response: { 200: listSchema },
				detail: {
					...{ ...about, operationId: "listOpenBridges", summary: "Lists open bridges" },
					description: "Those whose money is, or may be, on its way.",
				},
			},
		)
		.get("/bridges/:id", async ({ params }) => operations.show(idOf(params.id)), {
			...{ params, response: { 200: bridgeSchema } },
			detail: {
				...{ ...about, operationId: "getAnyBridge", summary: "Shows anybody's bridge" },
				...{ description: "As its owner sees it.", ...canFail(bridgeFault.notFound) },
			},
		})
		.post(
			"/bridges/:id/retry",
			async ({ params, operator }) => operations.retry(idOf(params.id), operator.actor),
			{
				...{ params, response: { 200: bridgeSchema } },
				detail: {
					...{ ...about, operationId: "resumeBridge", summary: "Has a bridge go on" },
					description:
						"One that was recorded or quoted and stands still: its quote is used again. Any " +
						"other that is not at its end is looked at.",
					...canFail(bridgeFault.notFound, bridgeFault.bridgeState),
				},
			},
		)
		.post(
			"/bridges/:id/disable",
			async ({ params, operator }) => operations.disable(idOf(params.id), operator.actor),
			{
				...{ params, response: { 200: bridgeSchema } },
				detail: {
					...{ ...about, operationId: "cancelBridge", summary: "Stops a bridge's next steps" },
					description: "What was deposited is followed to its end all the same.",
					...canFail(bridgeFault.notFound),
				},
			},
		);
}

/** Returns the route of one operator's action on a bridge. */
function wordRoute(deps: Deps, { word, operationId, summary, description }: Word) {
	return guarded(deps).post(
		`/bridges/:id/${word}`,
		async ({ params, operator }) => deps.operations[word](idOf(params.id), operator.actor),
		{
			...{ params, response: { 200: bridgeSchema } },
			detail: {
				...{ ...about, operationId, summary, description },
				...canFail(bridgeFault.notFound, bridgeFault.bridgeState),
			},
		},
	);
}

function acceptRoute(deps: Deps) {
	return guarded(deps).post(
		"/bridges/:id/accept",
		async ({ params, body, operator }) =>
			deps.operations.accept(idOf(params.id), shownArrival.parse(body), operator.actor),
		{
			...{ params, body: acceptBody, response: { 200: bridgeSchema } },
			detail: {
				...{ ...about, operationId: "acceptBridge", summary: "Accepts less than was promised" },
				description:
					"Of one that is `fill_short` or `refund_short`: so much as the body names, in that currency, " +
					"ends it, read from the chain anew. What `arrived` says must be that. Coin that another " +
					"transaction of its block may have paid ends it as well, with `verified: false`.",
				...canFail(bridgeFault.notFound, bridgeFault.bridgeState, bridgeFault.arrivalChanged),
			},
		},
	);
}

function chainRoutes(deps: Deps) {
	const { operations } = deps;
	return guarded(deps)
		.put(
			"/bridge-chains/:chainId",
			async ({ params: { chainId }, body: { enabled }, operator }) => {
				const change = { chainId, isOn: enabled };
				const previous = await operations.switchChain(change, operator.actor);
				return { chainId, enabled, previous };
			},
			{
				...{ params: chainParams, body: switchBody, response: { 200: switchAnswer } },
				detail: {
					...{ ...about, operationId: "setBridgeChain", summary: "Takes a chain out, or in" },
					description: "For new bridges, in every process, from the answer on.",
				},
			},
		)
		.put(
			"/bridge-chains/:chainId/contracts",
			async ({ params: { chainId }, body: { role, address, codeHash: hash }, operator }) => {
				const pinned = anyCaseAddressSchema.parse(address);
				const codeHash = hash === undefined ? null : anyCaseWordSchema.parse(hash);
				const asked = { chainId, role, address: pinned, codeHash };
				return { pins: await operations.pin(asked, operator.actor) };
			},
			{
				...{ params: chainParams, body: pinBody, response: { 200: pinAnswer } },
				detail: {
					...{ ...about, operationId: "setBridgeContract" },
					summary: "Trusts a contract or solver of the provider's",
					description:
						"Money goes to, and is proven to come from, pinned addresses alone. A change of what the " +
						"provider publishes, or of a contract's code, is refused until it is pinned here.",
					...canFail(
						...[bridgeFault.chainUnreadable, bridgeFault.contractMissing],
						bridgeFault.contractCode,
					),
				},
			},
		);
}

function idOf(text: string): string {
	const { data } = z.uuid().safeParse(text);
	if (data === undefined) throw bridgeFault.notFound();
	return data.toLowerCase();
}
