// Lists, by route, how a change by an operator is made to succeed.

import type { Address } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { insertPerson } from "#plugins/wallets/testing/insertPerson.ts";

/** A change by an operator that is possible now, and what it leaves behind. */
export type OperatorChange = {
	/** The path's parameter, where it has one. */
	id?: string;
	body: unknown;
	/** Describes a request to the same route that is refused, by the service or by X. */
	refused: { id?: string; body: unknown; isTheirs?: true };
	/** Names the action of the audit entry that is expected. */
	action: string;
	subject: string;
	/** Returns what it changes as a text; null where that is not in the database. */
	state: string | null;
};

const HOME = 4_663;
const CHAIN = 31_337;
const TESLA: Address = `0x${"a1".repeat(20)}`;
const APPLE: Address = `0x${"a2".repeat(20)}`;
const HASH = `0x${"5d".repeat(32)}`;
const NOBODY = "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69";

/**
 * Returns, by route, how to prepare a change that succeeds. A route of operators that changes
 * something and is not listed here fails the test that walks over all of them.
 */
export function operatorChanges({
	db,
	token,
	codeHash,
	webhookId,
}: {
	db: Database;
	/** An ERC-20 token on the service's chain. */
	token: Address;
	/** Names the hash of its code. */
	codeHash: string;
	webhookId: string;
}): Record<string, () => Promise<OperatorChange>> {
	return {
		"PUT /v1/admin/trading/settings/{key}": async () => ({
			...{ id: "kill:all", body: { value: true } },
			refused: { id: "kill:all", body: { value: "perhaps" } },
			...{ action: "trading.setting.changed", subject: "setting:kill:all" },
			state: "select key, value, changed_by from wallets.control",
		}),
		"POST /v1/admin/trading/intents/{id}/resolve": () => review(db),
		"POST /v1/admin/bridges/{id}/retry": () => bridge(db, "bridge.retried"),
		"POST /v1/admin/bridges/{id}/disable": () => bridge(db, "bridge.disabled"),
		"POST /v1/admin/bridges/{id}/look": () => bridge(db, "bridge.looked", "failure"),
		"POST /v1/admin/bridges/{id}/accept": async () => {
			const change = await bridge(db, "bridge.accepted", "uncertain");
			const body = { transactionHash: HASH, amountRaw: "7", currency: TESLA };
			const refused = { id: change.id ?? "", body: { ...body, amountRaw: "8" } };
			return { ...change, body, refused };
		},
		"POST /v1/admin/bridges/{id}/close": () => bridge(db, "bridge.closed", "failure"),
		"PUT /v1/admin/bridge-chains/{chainId}": async () => ({
			...{ id: "8453", body: { enabled: false } },
			refused: { id: "8453", body: { enabled: "no" } },
			...{ action: "bridge.chain.switched", subject: "chain:8453" },
			state: "select * from bridge.chain_switch",
		}),
		"PUT /v1/admin/bridge-chains/{chainId}/contracts": async () => ({
			...{ id: String(CHAIN), body: { role: "depository", address: token, codeHash } },
			refused: { id: String(CHAIN), body: { role: "depository", address: token } },
			...{ action: "bridge.contract.pinned", subject: `chain:${CHAIN}` },
			state: "select * from bridge.pin",
		}),
		"POST /v1/admin/stock-tokens/{address}/review": () =>
			stock(db, {
				...{ address: TESLA, symbol: "TSLA", body: { decision: "refuse" } },
				...{ wrong: { decision: "perhaps" }, action: "trading.stock_token.reviewed" },
			}),
		"PUT /v1/admin/stock-tokens/{address}/feed": () =>
			stock(db, {
				...{ address: APPLE, symbol: "AAPL", body: { feed: null } },
				...{ wrong: { feed: "nowhere" }, action: "trading.stock_token.feed_set" },
			}),
		"PUT /v1/admin/trading/attestations/{profileId}": async () => {
			const { profile } = await insertPerson(db, { chainId: CHAIN, nowMs: Date.now() });
			return {
				...{ id: profile.id, body: { country: "DE" } },
				refused: { id: profile.id, body: { country: "Germany" } },
				...{ action: "trading.attestation.recorded", subject: `profile:${profile.id}` },
				state: "select * from trading.attestation",
			};
		},
		"PUT /v1/admin/contracts/manifest": async () => {
			const body = { chainId: CHAIN, version: 0, token, owner: token };
			return {
				...{ body, refused: { body: { ...body, version: 7 } } },
				...{ action: "token.manifest.set", subject: `chain:${CHAIN}` },
				state: "select * from tokenomics.manifest",
			};
		},
		"POST /v1/admin/social/webhook/subscribe": async () => ({
			...{ body: {}, refused: { body: {}, isTheirs: true } },
			...{ action: "social.webhook.subscribed", subject: `webhook:${webhookId}`, state: null },
		}),
	};
}

/** Stores an intent that waits for an operator's review. */
async function review(db: Database): Promise<OperatorChange> {
	const { profile, wallet } = await insertPerson(db, { chainId: CHAIN, nowMs: Date.now() });
	const id = Bun.randomUUIDv7();
	await db.execute(
		`insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
			request, settings, created_at, changed_at, expires_at)
		values ($1, 'transfer', $2, $3, $4, 'api', 'review_required', '{}'::jsonb, '{}'::jsonb, now(),
			now(), now() + interval '1 hour')`,
		[id, profile.id, wallet.id, CHAIN],
	);
	return {
		...{ id, body: { review: "refuse" }, refused: { id: NOBODY, body: { review: "refuse" } } },
		...{ action: "trading.review.refused", subject: `intent:${id}` },
		state: `select status from wallets.intent where id = '${id}'`,
	};
}

/** Stores a bridge that stands still: one that was recorded, or of which too little was found. */
async function bridge(db: Database, action: string, status = "created"): Promise<OperatorChange> {
	const { profile } = await insertPerson(db, { chainId: CHAIN, nowMs: Date.now() });
	const id = Bun.randomUUIDv7();
	const request = {
		...{ amount: "1", currency: "ETH", from: null, to: "base", as: null },
		...{ recipient: null, refundTo: null, mode: "normal" },
	};
	await db.execute(
		`insert into bridge.bridge (id, profile_id, channel, asks, request, status, held_at, created_at,
			changed_at, error_code, out_hash, out_chain_id, out_currency, arrived_raw)
		values ($1, $2, 'api', false, $3::jsonb, $4, now() - interval '1 hour', now(), now(),
			'fill_short', decode($5, 'hex'), 1, decode($6, 'hex'), 7)`,
		[id, profile.id, JSON.stringify(request), status, HASH.slice(2), TESLA.slice(2)],
	);
	return {
		...{ id, body: {}, refused: { id: NOBODY, body: {} } },
		...{ action, subject: `bridge:${id}` },
		state: `select held_at, look_at, accepted_at, stopped_at from bridge.bridge where id = '${id}'`,
	};
}

/** Stores a stock token that may be traded. */
async function stock(
	db: Database,
	given: { address: Address; symbol: string; body: unknown; wrong: unknown; action: string },
): Promise<OperatorChange> {
	const { address, symbol, body, wrong, action } = given;
	const feed: Address = `0x${"fe".repeat(20)}`;
	await db.transaction((tx) => assetRows.write(tx, newAssetRow({ address, symbol, feed })));
	return {
		...{ id: address, body, refused: { id: address, body: wrong } },
		...{ action, subject: `token:${HOME}:${address}` },
		state: `select status, held_by, feed, feed_set_by from trading.asset where symbol = '${symbol}'`,
	};
}
