import { Elysia } from "elysia";
import { z } from "zod";
import type { Core } from "#core/plugin/Core.ts";
import type { TradingSetting } from "#plugins/wallets/contract.ts";
import { changeSetting } from "#plugins/wallets/control/changeSetting.ts";
import { type Killable, killSettings } from "#plugins/wallets/control/killSettings.ts";
import { SETTING_KEY_LENGTH_MAX, SETTINGS_LISTED_MAX } from "#plugins/wallets/control/limits.ts";
import { rebroadcastSetting } from "#plugins/wallets/control/rebroadcastSetting.ts";
import { type SettingRow, settingRows } from "#plugins/wallets/control/sql/settingRows.ts";

const settingSchema = z.object({
	key: z.string(),
	value: z.unknown(),
	changedBy: z.string().describe("`operator:` and the x-admin-actor of the last change."),
	changedAt: z.iso.datetime(),
});
const listSchema = z.object({
	settings: z.array(settingSchema).describe("What was ever set, the newest change first."),
	hasMore: z.boolean().describe(`There are more than ${SETTINGS_LISTED_MAX}.`),
	known: z
		.array(
			z.object({
				key: z.string(),
				description: z.string(),
				valueSchema: z.record(z.string(), z.unknown()),
			}),
		)
		.describe("What can be set, and to what."),
});
const changedSchema = settingSchema.extend({
	previous: z.unknown().describe("Null where nobody had set it."),
});

const about = { tags: ["admin"], security: [{ admin: [] }] };

export type ControlOptions = {
	core: Pick<Core, "db" | "clock" | "audit" | "operators" | "chains">;
	/** What other plugins put into `TradingSettingPoint`. */
	contributed: readonly TradingSetting[];
	/** Plugins with a kind of intent of their own. */
	plugins: Killable["plugins"];
};

/** What operators switch while the service runs, the kill switches first of all. */
export function controlRoutes({ core, contributed, plugins }: ControlOptions) {
	const { db, clock, audit, operators, chains } = core;
	const settings = [...killSettings({ chains, plugins }), rebroadcastSetting, ...contributed];
	const known = settings.map(({ shown, description, schema }) => {
		const valueSchema = z.toJSONSchema(schema, { unrepresentable: "any" });
		return { key: shown, description, valueSchema: { ...valueSchema } };
	});
	return (
		new Elysia({ prefix: "/v1/admin/trading/settings" })
			// Before anything is validated: a stranger learns nothing but that a key is wanted.
			.derive(({ request }) => ({ operator: operators.authenticate(request) }))
			.get(
				"",
				async ({ set }) => {
					set.headers["cache-control"] = "no-store";
					const rows = await settingRows.list(db);
					const listed = rows.slice(0, SETTINGS_LISTED_MAX).map(rendered);
					return { settings: listed, hasMore: rows.length > listed.length, known };
				},
				{ response: { 200: listSchema }, detail: { ...about, summary: "Lists trading settings" } },
			)
			.put(
				"/:key",
				async ({ params, body, operator, set }) => {
					const at = new Date(clock.nowMs());
					const change = { key: params.key, value: body.value, actor: operator.actor, at };
					const changed = await db.transaction((tx) => {
						return changeSetting(tx, change, { settings, audit });
					});
					set.headers["cache-control"] = "no-store";
					return { ...rendered(changed), previous: changed.previous };
				},
				{
					params: z.object({ key: z.string().max(SETTING_KEY_LENGTH_MAX) }),
					body: z.strictObject({ value: z.unknown() }),
					response: { 200: changedSchema },
					detail: {
						...about,
						summary: "Changes a trading setting",
						description:
							"Counts in every process from the answer on: nothing that was decided by the old value " +
							"is sent after it, and what was handed over before is reconciled. Calling off stays " +
							"possible. Written to the audit log with its actor.",
					},
				},
			)
	);
}

function rendered({ key, value, changedBy, changedAt }: SettingRow) {
	return { key, value, changedBy, changedAt: changedAt.toISOString() };
}
