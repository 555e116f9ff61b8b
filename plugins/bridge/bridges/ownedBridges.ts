// Lists bridges beside the intents of their owners, for one list and one stream of both.

import { windowSql } from "#core/audit/bookSql.ts";
import type { Queryable, SqlValue } from "#core/db/Database.ts";
import { BRIDGE_AUTHORIZE } from "#plugins/bridge/bridges/authorizeKind.ts";
import { BRIDGE_DEPOSIT } from "#plugins/bridge/bridges/planDeposit.ts";
import { whereIs } from "#plugins/bridge/bridges/renderBridge.ts";
import { BRIDGE_STATUSES } from "#plugins/bridge/model.ts";
import { type Bridge, type BridgeRow, bridgeOf, COLUMNS } from "#plugins/bridge/sql/bridges.ts";
import {
	errorOfCode,
	type OwnedAction,
	type OwnedActions,
	ownersTurn,
} from "#plugins/wallets/contract.ts";

/**
 * Says how bridges are listed and told: in place of the intents that deposit for them, with their
 * own status. What was sent is the deposit; what arrived is read with the bridge itself.
 */
export const ownedBridges: OwnedActions = {
	kind: "bridge",
	statuses: BRIDGE_STATUSES,
	stepKinds: [BRIDGE_DEPOSIT, BRIDGE_AUTHORIZE],
	moves: { table: "bridge.move", column: "tx" },
	async list(db, { profileId, status, period, after, limit }) {
		const bridges = await selectReadable(
			db,
			`where profile_id = $1 and ($2::text is null or status = $2)
				and created_at >= $3 and created_at <= $4
				and ($5::timestamptz is null or (created_at, id) < ($5, $6::uuid))
			order by created_at desc, id desc limit $7`,
			[
				...[profileId, status, new Date(period.fromMs), new Date(period.untilMs)],
				...[after && new Date(after.atMs), after?.id ?? null, limit],
			],
		);
		return bridges.map(actionOf);
	},
	async touched(tx, { window, intentIds }) {
		const bridges = await selectReadable(
			tx,
			`where id in (
				select bridge_id from bridge.move where ${windowSql.has("tx")}
				union select id from bridge.bridge where intent_id = any($5::uuid[])
			) order by id`,
			[...windowSql.values(window), intentIds],
		);
		return bridges.map(actionOf);
	},
};

/** Reads bridges, without rows that cannot be read: one such row hides no other bridge. */
async function selectReadable(
	db: Queryable,
	clauses: string,
	values: readonly SqlValue[],
): Promise<Bridge[]> {
	const sql = `select ${COLUMNS} from bridge.bridge ${clauses}`;
	return (await db.query<BridgeRow>(sql, values)).flatMap((row) => {
		try {
			return [bridgeOf(row)];
		} catch {
			return [];
		}
	});
}

function actionOf(bridge: Bridge): OwnedAction {
	const { id, profileId, status, errorCode: code, detail, route, request, intentId } = bridge;
	const error = detail === null ? null : { code: code ?? status, message: detail };
	return {
		...{ id, profileId, status, errorCode: code, intentId },
		error: code === null ? null : (error ?? errorOfCode(code)),
		waitsFor: turnOf(bridge),
		chain: route?.origin.chain ?? request.from ?? "unknown",
		summary: whereIs(bridge),
		transactionHash: bridge.depositHash,
		createdAtMs: bridge.createdAt.getTime(),
		changedAtMs: bridge.changedAt.getTime(),
	};
}

/** Says what its owner has to do: the link is asked for with the intent that deposits. */
function turnOf({ status, intentId, channel }: Bridge): string | null {
	if (intentId === null) return null;
	if (status !== "confirmation_required" && status !== "signature_required") return null;
	return ownersTurn({ id: intentId, status, channel });
}
