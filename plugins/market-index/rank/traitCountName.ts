/**
 * The trait that the method adds to every token: how many of its traits say something. A token that
 * claims the name for itself is not heard.
 */
export const traitCountName = "meta_trait:trait_count";
