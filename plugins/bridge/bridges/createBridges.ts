import type { Hex } from "#core/chain/Hex.ts";
import { assert } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { advanceBridge } from "#plugins/bridge/bridges/advanceBridge.ts";
import { type BridgeView, renderBridge } from "#plugins/bridge/bridges/renderBridge.ts";
import { requoteBridge } from "#plugins/bridge/bridges/requoteBridge.ts";
import { revokeAllowance } from "#plugins/bridge/bridges/revokeAllowance.ts";
import { takeStepResult } from "#plugins/bridge/bridges/signedStep.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { ADVANCE_TIMEOUT_MS, OPEN_BRIDGES_MAX, TAKE_UP_AFTER_MS } from "#plugins/bridge/limits.ts";
import type { Authorization } from "#plugins/bridge/quote/authorizations.ts";
import {
	type Bridge,
	type BridgeRequest,
	insertBridge,
	listBridges,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { readHandOvers } from "#plugins/bridge/sql/handOvers.ts";
import { readQuote, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Channel, Intent, Principal, Profile } from "#plugins/wallets/contract.ts";

export type BridgeAsked = {
	principal: Principal;
	request: BridgeRequest;
	/** What names the request beside its key: a route, or a tool. */
	route: string;
	tool?: string;
	idempotencyKey: string | null;
	channel: Channel;
	/** True: the owner says yes by a link first, whatever their profile says. */
	asks: boolean;
};

export type Bridges = ReturnType<typeof createBridges>;

/** What people, programs and operators do with bridges. */
export function createBridges(context: BridgeContext) {
	const { core, wallets } = context;

	/** Somebody else's bridge is as little there as one that never was. */
	async function own(profileId: string, id: string): Promise<Bridge> {
		const bridge = await readBridge(core.db, id);
		if (bridge?.profileId !== profileId) throw bridgeFault.notFound();
		return bridge;
	}

	async function view(bridge: Bridge, { isAsked = false } = {}): Promise<BridgeView> {
		const { intentId, profileId } = bridge;
		const [quote, deposit] = await Promise.all([
			quoteOf(bridge),
			intentId === null ? null : wallets.execution.read(intentId, profileId),
		]);
		const afterId = deposit?.afterId ?? null;
		const allowance = afterId === null ? null : await wallets.execution.read(afterId, profileId);
		const signed = await signersOf(context, bridge, quote);
		const asking = isAsked && deposit ? await wallets.execution.asking(deposit) : null;
		const purpose = asking ? PURPOSES.get(asking.status) : undefined;
		const link = asking && purpose ? await wallets.link(asking, purpose) : null;
		const urls = {
			confirmUrl: purpose === "confirm" ? (link?.url ?? null) : null,
			signUrl: purpose === "sign" ? (link?.url ?? null) : null,
		};
		return renderBridge(bridge, { quote, deposit, allowance, ...signed, ...urls });
	}

	async function quoteOf({ id, quoteSeq }: Bridge): Promise<StoredQuote | null> {
		return quoteSeq === null ? null : await readQuote(core.db, { bridgeId: id, seq: quoteSeq });
	}

	const goOn = (id: string, known: Bridge | null = null) => takeFurther(context, { id, known });

	return {
		own,
		goOn,
		show: view,
		view: async (profileId: string, id: string) => view(await own(profileId, id)),
		quoteOf,
		/** Records a bridge, once for each key, takes it as far as it goes, and answers 201. */
		create: (asked: BridgeAsked): Promise<Response> => create(context, asked, { goOn, view }),
		async list(query: { profileId: string; afterId: string | null; limit: number }) {
			const found = await listBridges(core.db, { ...query, limit: query.limit + 1 });
			const shown = found.slice(0, query.limit);
			const items = await Promise.all(shown.map((bridge) => view(bridge)));
			return { items, nextId: found.length > query.limit ? (shown.at(-1)?.id ?? null) : null };
		},
		/** Takes back an allowance that a bridge left over, and answers 202 with the bridge. */
		async revoke(principal: Principal, id: string, idempotencyKey: string | null) {
			const bridge = await own(principal.profile.id, id);
			const quote = await quoteOf(bridge);
			const render = async () => view(await own(principal.profile.id, id));
			const asked = { principal, bridge, quote, idempotencyKey, render };
			return revokeAllowance(context, asked);
		},
		/** Replaces the quote. Once a step was sent, or recorded to be sent, this is refused. */
		async requote(profileId: string, id: string): Promise<BridgeView> {
			await requoteBridge(context, await own(profileId, id));
			await goOn(id);
			return view(await own(profileId, id), { isAsked: true });
		},
		/** Takes a hash that an owner's wallet told, and answers the bridge as it then stands. */
		async takeResult(principal: Principal, id: string, hash: Hex): Promise<BridgeView> {
			const { profile } = principal;
			const bridge = await own(profile.id, id);
			const signal = AbortSignal.any([context.ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
			await takeStepResult(context, { bridge, profile, hash, signal });
			await goOn(id);
			return view(await own(profile.id, id), { isAsked: true });
		},
	};
}

/**
 * Takes a bridge as far as it goes now, and returns it as it then is; null where that has to be
 * read. What cannot be taken further is answered as it stands: the service takes it up itself.
 */
async function takeFurther(
	context: BridgeContext,
	{ id, known }: { id: string; known: Bridge | null },
): Promise<Bridge | null> {
	const { core, ending } = context;
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
		return await advanceBridge(context, { id, known, signal });
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		core.log[level]("a bridge could not be taken further now", { error });
		return null;
	}
}

/** Who signs what in place of transactions, and what the provider asked for later. */
async function signersOf(
	{ core, wallets }: BridgeContext,
	{ id, profileId }: Bridge,
	quote: StoredQuote | null,
): Promise<{ signers: (Intent | null)[]; later: Authorization[] }> {
	if (!quote || quote.authorizations.length === 0) return { signers: [], later: [] };
	const rows = await readHandOvers(core.db, id);
	const signers = rows.map((row) => wallets.execution.read(row.intentId, profileId));
	return { signers: await Promise.all(signers), later: rows.flatMap(({ asked }) => asked ?? []) };
}

/** What its owner is asked for, by the state of the intent that asks. */
const PURPOSES = new Map<string, "confirm" | "sign">([
	["confirmation_required", "confirm"],
	["signature_required", "sign"],
]);

async function create(
	context: BridgeContext,
	asked: BridgeAsked,
	{
		goOn,
		view,
	}: {
		goOn(id: string, known: Bridge | null): Promise<Bridge | null>;
		view(bridge: Bridge, options: { isAsked: boolean }): Promise<BridgeView>;
	},
): Promise<Response> {
	const { core, wallets } = context;
	const { principal, request, route, tool, idempotencyKey, channel, asks } = asked;
	const { profile } = principal;
	const walletId = walletOf(profile);
	let inserted: Bridge | null = null;
	return await wallets.once({
		...{ principal, route, idempotencyKey, intents: [] },
		body: tool === undefined ? request : { tool, ...request },
		async record(tx, id) {
			const createdAt = new Date(core.clock.nowMs());
			// Whoever recorded it takes it further at once; a job does where that process died.
			const lookAt = new Date(createdAt.getTime() + TAKE_UP_AFTER_MS);
			const profileId = profile.id;
			inserted = await insertBridge(tx, {
				...{ id, profileId, walletId, channel, asks, request, createdAt, lookAt },
				openMax: OPEN_BRIDGES_MAX,
			});
			if (!inserted) throw bridgeFault.bridgesTooMany();
		},
		async answer(_ids, recorded, id) {
			assert(id !== null, "a bridge that was recorded has an id");
			// An earlier request's is where that request, and the jobs, have taken it.
			const stands = await goOn(id, recorded === null ? null : inserted);
			const bridge = stands ?? (await readBridge(core.db, id));
			assert(bridge, "a bridge that was recorded is there");
			return { status: 201, body: await view(bridge, { isAsked: true }) };
		},
	});
}

function walletOf({ canonicalWalletId, wallets }: Profile): string | null {
	return canonicalWalletId ?? wallets[0]?.id ?? null;
}
