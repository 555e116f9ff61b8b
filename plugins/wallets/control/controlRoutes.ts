import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { TradingSetting } from "#plugins/wallets/contract.ts";
import { changeSetting } from "#plugins/wallets/control/changeSetting.ts";
import { type Killable, killSettings } from "#plugins/wallets/control/killSettings.ts";
import {
	SETTING_KEY_LENGTH_MAX,
	SETTINGS_LISTED_MAX,
	type SettingRow,
	settingRows,
} from "#plugins/wallets/control/sql/settingRows.ts";

/** Its key, and how it looks to a person. */
export const REBROADCAST = "rebroadcast";

/** Whether what no node knows any more is sent to nodes again by itself. Nobody does unless set. */
const rebroadcastSetting: TradingSetting = {
	shown: REBROADCAST,
	key: /^rebroadcast$/,
	schema: z.boolean(),
	description:
		"A transaction that no node knows any more is sent to the nodes again, byte for byte, until " +
		"one of them has it. Off unless it is set: the owner or an operator cancels it instead.",
};

const key = field.text("Which setting.", "trading.enabled");
const value = (description: string) => z.unknown().meta({ description, examples: [false] });
const settingSchema = z
	.object({
		key,
		value: value("What it is set to; its form depends on the key."),
		changedBy: field.text("`operator:` and the x-admin-actor of the last change.", "operator:ops"),
		changedAt: z.iso
			.datetime()
			.meta({ description: "When it was last changed.", examples: ["2026-03-01T12:00:00.000Z"] }),
	})
	.meta({ id: "TradingSetting", description: "A setting that operators changed." });
const knownSchema = z
	.object({
		key,
		description: field.text("What it does.", "Whether anything is sent."),
		valueSchema: z
			.record(z.string(), z.unknown())
			.meta({ description: "JSON Schema of its values.", examples: [{ type: "boolean" }] }),
	})
	.meta({ id: "KnownSetting", description: "A setting that can be changed." });
const listSchema = z
	.object({
		settings: z
			.array(settingSchema)
			.meta({ description: "What was ever set, the newest change first." }),
		hasMore: field.flag(`Whether there are more than ${SETTINGS_LISTED_MAX}.`),
		known: z.array(knownSchema).meta({ description: "What can be set, and to what." }),
	})
	.meta({ id: "TradingSettingList", description: "Settings of operators." });
const changedSchema = settingSchema
	.extend({ previous: value("What it was set to before; null where nobody had set it.") })
	.meta({ id: "ChangedSetting", description: "A setting after a change." });
const bodySchema = z
	.strictObject({ value: value("The new value, in the form that `known` says.") })
	.meta({ id: "SettingChange", description: "What to set it to." });

const about = { tags: ["admin"], security: [{ admin: [] }] };

export type ControlOptions = {
	core: Pick<Core, "db" | "clock" | "audit" | "operators" | "chains">;
	/** What other plugins put into `TradingSettingPoint`. */
	contributed: readonly TradingSetting[];
	/** Plugins with a kind of intent of their own. */
	plugins: Killable["plugins"];
};

/** Lets operators switch what they can while the service runs, kill switches first of all. */
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
				{
					response: { 200: listSchema },
					detail: {
						...about,
						operationId: "listTradingSettings",
						summary: "Lists trading settings",
						description: "What operators have set, and what they can set.",
					},
				},
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
					params: z.object({ key: key.max(SETTING_KEY_LENGTH_MAX) }),
					body: bodySchema,
					response: { 200: changedSchema },
					detail: {
						...about,
						operationId: "setTradingSetting",
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
