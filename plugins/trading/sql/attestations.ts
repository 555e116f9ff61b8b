import type { Queryable, Tx } from "#core/db/Database.ts";

/** A user's country, as an operator recorded it. */
export type Attestation = {
	profileId: string;
	/** ISO 3166-1, two letters. */
	country: string;
	/** False: trading is refused, whatever the country is. */
	isEligible: boolean;
	attestedAt: Date;
	recordedBy: string;
	recordedAt: Date;
};

const COLUMNS = `profile_id as "profileId", country, is_eligible as "isEligible",
	attested_at as "attestedAt", recorded_by as "recordedBy", recorded_at as "recordedAt"`;

/** One row per profile, the newest. By the primary key. */
export const attestations = {
	async read(db: Queryable, profileId: string): Promise<Attestation | null> {
		const [row] = await db.query<Attestation>(
			`select ${COLUMNS} from trading.attestation where profile_id = $1`,
			[profileId],
		);
		return row ?? null;
	},

	async write(tx: Tx, row: Attestation): Promise<void> {
		await tx.execute(
			`insert into trading.attestation (profile_id, country, is_eligible, attested_at, recorded_by,
				recorded_at)
			values ($1, $2, $3, $4, $5, $6)
			on conflict (profile_id) do update set country = excluded.country,
				is_eligible = excluded.is_eligible, attested_at = excluded.attested_at,
				recorded_by = excluded.recorded_by, recorded_at = excluded.recorded_at`,
			[row.profileId, row.country, row.isEligible, row.attestedAt, row.recordedBy, row.recordedAt],
		);
	},
};
