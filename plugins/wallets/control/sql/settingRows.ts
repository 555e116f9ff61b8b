import type { Queryable, Tx } from "#core/db/Database.ts";

export const SETTING_KEY_LENGTH_MAX = 200;

/** Before and after stand in one entry of the audit log, which holds 8 KiB. */
export const SETTING_VALUE_BYTES_MAX = 2_048;

/** Settings in one answer; the newest changes come first. */
export const SETTINGS_LISTED_MAX = 1_000;

export type SettingRow = { key: string; value: unknown; changedBy: string; changedAt: Date };

const COLUMNS = `key, value, changed_by as "changedBy", changed_at as "changedAt"`;

/** What operators have set. By the primary key; a list is a scan of a table of a few rows. */
export const settingRows = {
	async read(db: Queryable, key: string): Promise<SettingRow | null> {
		const [row] = await db.query<SettingRow>(
			`select ${COLUMNS} from wallets.control where key = $1`,
			[key],
		);
		return row ?? null;
	},

	/** The value alone; null where nobody set one. */
	async value(db: Queryable, key: string): Promise<unknown> {
		return (await settingRows.read(db, key))?.value ?? null;
	},

	/** One more than is listed, where there are more. */
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
