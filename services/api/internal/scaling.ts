import { Router } from 'express';
import type { Database } from '../../store/database.ts';
import { hostTotals } from '../../store/tables/hosts.ts';
import { sessionTotals } from '../../store/tables/totals.ts';

/** GET /scaling: what autoscaling of agent hosts looks at; the same from every replica. */
export function scalingRoute({ db }: { db: Database }): Router {
  const router = Router();
  router.get('/scaling', async (req, res) => {
    req.routePattern = '/scaling';
    const [sessions, hosts] = await Promise.all([sessionTotals(db), hostTotals(db)]);
    res.json({
      live: sessions.live,
      waiting: sessions.waiting,
      refusedLastMinute: sessions.refused,
      // Those that wait are live, too.
      wanted: sessions.live + sessions.refused,
      wantedVoice: sessions.spoken + sessions.refused_spoken,
      capacity: hosts?.capacity ?? 0,
    });
  });
  return router;
}
