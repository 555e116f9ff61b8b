// Serves operators who record where users live.

import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import { registryFault } from "#plugins/trading/faults.ts";
import {
	type EligibilityOptions,
	INELIGIBLE,
	ineligibleFor,
} from "#plugins/trading/registry/createEligibility.ts";
import { type Attestation, attestations } from "#plugins/trading/sql/assets.ts";

const about = { tags: ["admin"], security: [{ admin: [] as string[] }] };
const country = z
	.string()
	.regex(/^[A-Z]{2}$/, "is not two capital letters")
	.meta({ description: "Where they live, by ISO 3166-1.", examples: ["DE"] });

const bodySchema = z
	.strictObject({
		country,
		eligible: z
			.boolean()
			.default(true)
			.meta({ description: "False: refused, wherever they live." }),
		attestedAt: z.iso
			.datetime()
			.optional()
			.meta({ description: "When they attested it; now unless given." }),
	})
	.meta({ id: "NewAttestation", description: "Where somebody lives." });

const attestationSchema = z
	.object({
		profileId: field.id("Whose it is."),
		country,
		eligible: field.flag(
			"Whether they may trade stock tokens now, by this and what is configured.",
		),
		reason: z.enum(INELIGIBLE).nullable().meta({
			description:
				"Why not. `refused`: by an operator. `expired`: attested too long ago. `closed`: nobody may.",
		}),
		attestedAt: field.time("When they attested it."),
		recordedBy: field.text("Who recorded it.", "operator:ops"),
		recordedAt: field.time("When that was."),
	})
	.meta({ id: "Attestation", description: "Where somebody lives, as an operator recorded it." });

const params = z.object({
	profileId: z
		.uuid()
		.toLowerCase()
		.meta({ description: "A profile.", examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"] }),
});

/**
 * Returns the routes where operators record users' countries, which decide who may trade stocks.
 */
export function adminAttestationRoutes(
	{ db, clock, audit, operators }: Pick<Core, "db" | "clock" | "audit" | "operators">,
	options: EligibilityOptions,
) {
	function rendered(attested: Attestation) {
		const { profileId, country, recordedBy, recordedAt } = attested;
		const reason = ineligibleFor(options, { attested, nowMs: clock.nowMs() });
		return {
			...{ profileId, country, eligible: reason === null, reason, recordedBy },
			attestedAt: attested.attestedAt.toISOString(),
			recordedAt: recordedAt.toISOString(),
		};
	}
	return (
		new Elysia({ prefix: "/v1/admin/trading/attestations" })
			// Authenticated before validation: without a key a caller learns nothing else.
			.derive(({ request }) => ({ operator: operators.authenticate(request) }))
			.get(
				"/:profileId",
				async ({ params: { profileId }, set }) => {
					set.headers["cache-control"] = "no-store";
					const found = await attestations.read(db, profileId);
					if (!found) throw registryFault.profileNotFound();
					return rendered(found);
				},
				{
					params,
					response: { 200: attestationSchema },
					detail: {
						...about,
						operationId: "getAttestation",
						summary: "Reads where somebody lives",
						description: "As it was last recorded.",
						...canFail(registryFault.profileNotFound),
					},
				},
			)
			.put(
				"/:profileId",
				async ({ params: { profileId }, body, operator, set }) => {
					const now = new Date(clock.nowMs());
					const row: Attestation = {
						profileId,
						country: body.country,
						isEligible: body.eligible,
						attestedAt: body.attestedAt === undefined ? now : new Date(body.attestedAt),
						recordedBy: `operator:${operator.actor}`,
						recordedAt: now,
					};
					await db.transaction(async (tx) => {
						await attestations.write(tx, row);
						await audit.append(tx, {
							actor: row.recordedBy,
							action: "trading.attestation.recorded",
							subject: `profile:${profileId}`,
							detail: {
								...{ country: row.country, eligible: row.isEligible },
								attestedAt: row.attestedAt.toISOString(),
							},
						});
					});
					set.headers["cache-control"] = "no-store";
					return rendered(row);
				},
				{
					params,
					body: bodySchema,
					response: { 200: attestationSchema },
					detail: {
						...about,
						operationId: "setAttestation",
						summary: "Records where somebody lives",
						description:
							"In the place of what was recorded before. It counts from the next quote on. Written to " +
							"the audit log.",
					},
				},
			)
	);
}
