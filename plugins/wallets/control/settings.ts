// Lets operators read and change settings of trading while the service runs.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Audit } from "#core/audit/createAudit.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { assert, defineFaults } from "#core/fault.ts";
import { flatIssues, issueWords } from "#core/http/issues.ts";
import { field } from "#core/http/openapi/schema.ts";
import type { Core } from "#core/plugin/Core.ts";
import { type Killable, killSettings, lockSwitches } from "#plugins/wallets/control/kill.ts";
import type { TradingSetting } from "#plugins/wallets/Wallets.ts";

export type SettingRow = { key: string; value: unknown; changedBy: string; changedAt: Date };

export type SettingChange = { key: string; value: unknown; actor: string; at: Date };

export type SettingChanged = SettingRow & {
	/** The value before; null where none was set. */
	previous: unknown;
};

export type ControlOptions = {
	core: Pick<Core, "db" | "clock" | "audit" | "operators" | "chains">;
	/** The settings that other plugins put into `TradingSettingPoint`. */
	contributed: readonly TradingSetting[];
	/** Plugins with a kind of intent of their own. */
	plugins: Killable["plugins"];
};

export const controlFault = defineFaults({
	settingUnknown: {
		status: 422,
		retry: "never",
		public: "There is no such setting.",
		advice: "Use a key that `known` of the settings list names.",
	},
	settingInvalid: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "The setting does not take that value.",
		advice: "Send a value of the form that `valueSchema` of the settings list gives.",
	},
});

export const SETTING_KEY_LENGTH_MAX = 200;

/** Limits a value's bytes: its old and new value are in one entry of the audit log (8 KiB). */
export const SETTING_VALUE_BYTES_MAX = 2_048;

/** Settings in one answer; the newest changes come first. */
export const SETTINGS_LISTED_MAX = 1_000;

const COLUMNS = `key, value, changed_by as "changedBy", changed_at as "changedAt"`;

/**
 * Reads and writes the values that operators set. By the primary key; a list scans a table of a few
 * rows.
 */
export const settingRows = {
	async read(db: Queryable, key: string): Promise<SettingRow | null> {
		const [row] = await db.query<SettingRow>(
			`select ${COLUMNS} from wallets.control where key = $1`,
			[key],
		);
		return row ?? null;
	},

	/** Returns only the value; null where none was set. */
	async value(db: Queryable, key: string): Promise<unknown> {
		return (await settingRows.read(db, key))?.value ?? null;
	},

	/** Lists the settings, with one more than the limit, to know whether there are more. */
	list(db: Queryable): Promise<SettingRow[]> {
		return db.query<SettingRow>(
			`select ${COLUMNS} from wallets.control order by changed_at desc, key limit $1`,
			[SETTINGS_LISTED_MAX + 1],
		);
	},

	/** `value` is JSON text. */
	async write(
		tx: Tx,
		row: { key: string; value: string; changedBy: string; changedAt: Date },
	): Promise<void> {
		await tx.execute(
			`insert into wallets.control (key, value, changed_by, changed_at)
			values ($1, $2::jsonb, $3, $4)
			on conflict (key) do update set value = excluded.value, changed_by = excluded.changed_by,
				changed_at = excluded.changed_at`,
			[row.key, row.value, row.changedBy, row.changedAt],
		);
	},
};

/**
 * The key of the setting that allows dropped transactions to be broadcast again, also shown to
 * people.
 */
export const REBROADCAST = "rebroadcast";

/**
 * Decides whether a transaction that no node knows any more is broadcast again automatically; off
 * by default.
 */
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

/**
 * Changes a setting and records who did it, both or neither.
 *
 * It waits for senders that have already read it, and new ones wait for it: once its transaction is
 * committed, no sender that read the old value can still commit. A change to the same value is
 * recorded too.
 */
export async function changeSetting(
	tx: Tx,
	change: SettingChange,
	{ settings, audit }: { settings: readonly TradingSetting[]; audit: Audit },
): Promise<SettingChanged> {
	const { key, at } = change;
	const { setting, named } = findSetting(settings, key);
	const value = readValue(setting, change.value);
	const flaw = named === null ? null : await setting.flaw?.(tx, named);
	if (flaw) throw controlFault.settingUnknown({ public: flaw });
	await lockSwitches(tx, "operator");
	const before = await settingRows.read(tx, key);
	const changedBy = `operator:${change.actor}`;
	await settingRows.write(tx, { key, value: value.text, changedBy, changedAt: at });
	const previous = before?.value ?? null;
	await audit.append(tx, {
		actor: changedBy,
		action: "trading.setting.changed",
		subject: `setting:${key}`,
		detail: { before: previous, after: value.parsed },
	});
	return { key, value: value.parsed, previous, changedBy, changedAt: at };
}

/** Finds the setting that a key belongs to, and what the key names in it. */
export function findSetting(
	settings: readonly TradingSetting[],
	key: string,
): { setting: TradingSetting; named: string | null } {
	for (const setting of settings) {
		const match = setting.key.exec(key);
		// The whole key, also where somebody's pattern forgot to say so.
		if (match?.[0] === key) return { setting, named: match[1] ?? null };
	}
	const known = settings.map(({ shown }) => shown);
	throw controlFault.settingUnknown({
		public: `There is no such setting. There are: ${known.join(", ")}.`,
		members: { known },
	});
}

function rendered({ key, value, changedBy, changedAt }: SettingRow) {
	return { key, value, changedBy, changedAt: changedAt.toISOString() };
}

/** Reads a value as the setting's schema makes it, and as the JSON text that is stored. */
function readValue(setting: TradingSetting, given: unknown): { parsed: unknown; text: string } {
	const read = setting.schema.safeParse(given, { error: issueWords });
	if (!read.success) {
		const issues = flatIssues(read.error.issues).map(({ path, message }) => {
			return { path: path === "" ? "value" : `value.${path}`, message };
		});
		throw controlFault.settingInvalid({
			public: `${setting.shown} does not take that value: ${issues[0]?.message}`,
			members: { issues },
		});
	}
	const text = JSON.stringify(read.data);
	assert(typeof text === "string", `the schema of ${setting.shown} makes JSON`);
	if (Buffer.byteLength(text) > SETTING_VALUE_BYTES_MAX) {
		throw controlFault.settingInvalid({
			public: `A setting's value has at most ${SETTING_VALUE_BYTES_MAX} bytes of JSON.`,
		});
	}
	return { parsed: read.data, text };
}
