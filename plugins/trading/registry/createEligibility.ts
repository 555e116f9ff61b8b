import { unreachable } from "#core/fault.ts";
import { DAY_MS } from "#core/time.ts";
import type { Asset, Eligibility } from "#plugins/trading/registry/createAssets.ts";
import { type Attestation, attestations } from "#plugins/trading/sql/assets.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

type EligibilityOptions = {
	mode: EligibilityMode;
	excluded: ReadonlySet<string>;
	attestationDays: number;
};

/** Which profiles may trade stock tokens, as the deployment configures it. */
export const ELIGIBILITY_MODES = ["closed", "attested", "open"] as const;
export type EligibilityMode = (typeof ELIGIBILITY_MODES)[number];

/** Tolerance for clocks that differ; an attestation further in the future is a mistake. */
const AHEAD_MS_MAX = 60_000;

/**
 * Makes the check whether a profile may trade an asset; it returns the denial, or null. Only stock
 * tokens are checked.
 *
 * `closed` denies every profile; `attested` allows those whose country an operator recorded, if it
 * is not excluded and the record is recent enough; `open`, for the sandbox, allows all whom no
 * operator refused. Selling is checked like buying, as in the issuers' terms.
 */
export function createEligibility(options: EligibilityOptions): Eligibility {
	return {
		async mayTrade(db, { profile, asset, nowMs }) {
			if (asset.kind !== "stock") return null;
			if (options.mode === "closed") {
				return notEligible("Trading stock tokens is not open on this service.");
			}
			const attested = await attestations.read(db, profile.id);
			if (!isRefused(options, attested, nowMs)) return null;
			return notEligible(sentence(asset, options, attested));
		},
	};
}

function notEligible(detail: string): Denial {
	return { code: "not_eligible", detail };
}

function isRefused(
	{ mode, excluded, attestationDays }: EligibilityOptions,
	attested: Attestation | null,
	nowMs: number,
): boolean {
	if (attested && !attested.isEligible) return true;
	switch (mode) {
		case "closed":
			return true;
		case "open":
			return false;
		case "attested": {
			if (!attested || excluded.has(attested.country)) return true;
			const ageMs = nowMs - attested.attestedAt.getTime();
			return ageMs > attestationDays * DAY_MS || ageMs < -AHEAD_MS_MAX;
		}
		default:
			return unreachable(mode);
	}
}

/** Returns the public reason, which reveals only what concerns this profile. */
function sentence(
	{ symbol }: Asset,
	{ excluded, attestationDays }: EligibilityOptions,
	attested: Attestation | null,
): string {
	if (!attested) return `Nobody has recorded where you live, which trading ${symbol} needs.`;
	if (!attested.isEligible) return `Your profile may not trade ${symbol}.`;
	if (excluded.has(attested.country)) return `${symbol} may not be traded from where you live.`;
	return `Where you live was recorded more than ${attestationDays} days ago: it is needed anew.`;
}
