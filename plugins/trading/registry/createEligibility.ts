// Checks which profiles may trade stock tokens, and says why not.

import { unreachable } from "#core/fault.ts";
import { DAY_MS } from "#core/time.ts";
import type { Asset, Eligibility } from "#plugins/trading/registry/createAssets.ts";
import { type Attestation, attestations } from "#plugins/trading/sql/assets.ts";

export type EligibilityOptions = {
	mode: EligibilityMode;
	excluded: ReadonlySet<string>;
	attestationDays: number;
};

/** Lists the modes of the setting that says which profiles may trade stock tokens. */
export const ELIGIBILITY_MODES = ["closed", "attested", "open"] as const;
export type EligibilityMode = (typeof ELIGIBILITY_MODES)[number];

/** Lists the reasons why a profile may not trade. */
export const INELIGIBLE = [
	"closed",
	"not_recorded",
	"refused",
	"country_excluded",
	"expired",
] as const;
type Ineligible = (typeof INELIGIBLE)[number];

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
			const attested = await attestations.read(db, profile.id);
			const reason = ineligibleFor(options, { attested, nowMs });
			return reason && { code: "not_eligible", detail: sentence(reason, asset, options) };
		},
	};
}

/** Returns why a profile may not trade now by what an operator recorded; null: it may. */
export function ineligibleFor(
	{ mode, excluded, attestationDays }: EligibilityOptions,
	{ attested, nowMs }: { attested: Attestation | null; nowMs: number },
): Ineligible | null {
	if (mode === "closed") return "closed";
	if (attested && !attested.isEligible) return "refused";
	switch (mode) {
		case "open":
			return null;
		case "attested": {
			if (!attested) return "not_recorded";
			if (excluded.has(attested.country)) return "country_excluded";
			const ageMs = nowMs - attested.attestedAt.getTime();
			return ageMs > attestationDays * DAY_MS || ageMs < -AHEAD_MS_MAX ? "expired" : null;
		}
		default:
			return unreachable(mode);
	}
}

/** Returns the public reason, which reveals only what concerns this profile. */
function sentence(
	reason: Ineligible,
	{ symbol }: Asset,
	{ attestationDays }: EligibilityOptions,
): string {
	switch (reason) {
		case "closed":
			return "Trading stock tokens is not open on this service.";
		case "not_recorded":
			return `Nobody has recorded where you live, which trading ${symbol} needs.`;
		case "refused":
			return `Your profile may not trade ${symbol}.`;
		case "country_excluded":
			return `${symbol} may not be traded from where you live.`;
		case "expired":
			return `Where you live was recorded more than ${attestationDays} days ago: it is needed anew.`;
		default:
			return unreachable(reason);
	}
}
