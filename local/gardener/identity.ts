/** The account with which Gardener's own components write; admission lets it pass. */
export const gardenerUser = { user: "system:serviceaccount:garden:gardener", groups: ["system:masters"] } as const;
