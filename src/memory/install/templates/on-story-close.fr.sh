#!/usr/bin/env bash
# on-story-close.sh STORY STATUT [OPTIONS] : à appeler quand une story se ferme. REJECTED et
# DONE_WITH_ANOMALY purgent les clarifications au-delà de leur rétention ; les autres statuts ne
# demandent rien. Les options vont à `govmem purge clarifications`, dont le code de sortie est rendu.
if [ $# -lt 2 ] || [[ ! $1 =~ ^[A-Z][A-Z0-9]*-[1-9][0-9]*$ ]]; then
  printf 'erreur: il faut une story et son statut\nhint: %s PD-42 REJECTED\n' "$0" >&2
  exit 2
fi
status=$2; shift 2
case $status in
  REJECTED | DONE_WITH_ANOMALY) ;;
  *) exit 0 ;;
esac
if ! command -v govmem >/dev/null; then
  printf 'erreur: govmem introuvable dans PATH\nhint: installez govmem, puis relancez ce script\n' >&2
  exit 69
fi
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit 74
exec govmem purge clarifications "$@"
