/* ------------------------------------------------------------------ the predictor's numbers
 *
 * Everything below is the same for all models. Covariance matrices are built and factorised by
 * the function that prepares the predictor, so that only what was learned need be stored.
 */
typedef struct {
    double weight, mean, variance;
    const response *of;
} member;

typedef struct {
    double *Z, *L, *alpha, prior;
} prepared;

typedef struct {
    member *members;
    double *cross, *inputs;
} workspace;

static prepared *draws = NULL;

static double sum_of_products(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Row i of a packed lower triangle begins here. */
static size_t row_of(int i)
{
    return (size_t)i * ((size_t)i + 1) / 2;
}

static int factorise(double *K, int n)
{
    for (int i = 0; i < n; i++) {
        double *own = K + row_of(i);
        for (int j = 0; j <= i; j++) {
            double *other = K + row_of(j);
            double rest = own[j] - sum_of_products(own, other, j);
            if (i == j && !(rest > 0.0))
                return 1;
            own[j] = i == j ? sqrt(rest) : rest / other[j];
        }
    }
    return 0;
}

static void solve_lower(const double *L, int n, double *b)
{
    for (int i = 0; i < n; i++) {
        const double *own = L + row_of(i);
        b[i] = (b[i] - sum_of_products(own, b, i)) / own[i];
    }
}

static void solve_upper(const double *L, int n, double *b)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *own = L + row_of(i);
        b[i] /= own[i];
        for (int k = 0; k < i; k++)
            b[k] -= own[k] * b[i];
    }
}

static double correlation(int kernel, double R)
{
    double s = sqrt(5.0 * R);
    return kernel == RBF ? exp(-0.5 * R) : (1.0 + s + 5.0 / 3.0 * R) * exp(-s);
}

static double warped(double u, double a, double b)
{
    int inside = u > 0.0 && u < 1.0 && (a != 1.0 || b != 1.0);
    return inside ? -expm1(b * log(-expm1(a * log(u)))) : u;
}

/* Inputs are warped as the draw says; levels have no warp. */
static void see(const process *p, int draw, const double *u, double *z)
{
    const double *warp = p->warps + draw * 2 * p->d;
    for (int i = 0; i < p->d; i++)
        z[i] = warped(u[i], warp[i], warp[p->d + i]);
}

static double levels_apart(const category *own, int draw, double a, double b)
{
    int first = (int)floor(a * (own->levels - 1) + 0.5);
    int second = (int)floor(b * (own->levels - 1) + 0.5);
    if (first == second)
        return 0.0;
    const double *apart = own->apart + draw * own->levels;
    double sum = apart[first] + apart[second];
    const double *at = own->positions + draw * own->levels * own->dims;
    for (int t = 0; t < own->dims; t++) {
        double step = at[first * own->dims + t] - at[second * own->dims + t];
        sum += step * step;
    }
    return sum;
}

/* Squared distance of two points, each input over its lengthscale. */
static double distance(const process *p, int draw, int c, const double *a, const double *b)
{
    const double *lengthscales = p->lengthscales + (draw * p->c + c) * p->d;
    double R = 0.0;
    int next = 0;
    for (int i = 0; i < p->d; i++) {
        double step = (a[i] - b[i]) / lengthscales[i];
        if (next < p->n_categories && p->categories[next].column == i) {
            R += levels_apart(p->categories + next, draw, a[i], b[i])
                 / (lengthscales[i] * lengthscales[i]);
            next++;
        } else {
            R += step * step;
        }
    }
    return R;
}

static double covariance(const process *p, int draw, const double *a, int group_a,
                         const double *b, int group_b)
{
    double sum = 0.0;
    for (int c = 0; c < p->c; c++) {
        const double *loadings = p->loadings + (draw * p->c + c) * p->g;
        double scale = loadings[group_a] * loadings[group_b];
        if (scale != 0.0 && p->kernels[c] != CONSTANT)
            scale *= correlation(p->kernels[c], distance(p, draw, c, a, b));
        sum += scale;
    }
    return sum;
}

static int prepare_draw(const process *p, int draw, prepared *own)
{
    int n = p->n;
    own->Z = malloc(sizeof(double) * (size_t)n * (size_t)p->d);
    own->L = malloc(sizeof(double) * (p->known ? 1 : row_of(n)));
    own->alpha = malloc(sizeof(double) * (size_t)n);
    if (!own->Z || !own->L || !own->alpha)
        return 1;
    for (int i = 0; i < n; i++)
        see(p, draw, p->X + i * p->d, own->Z + i * p->d);
    own->prior = 0.0;
    for (int c = 0; c < p->c; c++) {
        double load = p->loadings[(draw * p->c + c) * p->g + p->group];
        own->prior += load * load;
    }
    if (p->known) {
        for (int i = 0; i < n; i++)
            own->alpha[i] = p->solved[i];
        return 0;
    }
    for (int i = 0; i < n; i++) {
        const double *means = p->means + draw * p->g, *noises = p->noises + draw * p->g;
        double *row = own->L + row_of(i);
        int group = (int)p->groups[i];
        for (int j = 0; j <= i; j++)
            row[j] = covariance(p, draw, own->Z + i * p->d, group, own->Z + j * p->d,
                                (int)p->groups[j]);
        row[i] += p->noise[i] + noises[group];
        own->alpha[i] = p->y[i] - means[group];
    }
    if (factorise(own->L, n))
        return 1;
    solve_lower(own->L, n, own->alpha);
    solve_upper(own->L, n, own->alpha);
    return 0;
}

/* How much of the prior variance is known, from covariances that need not be kept. */
static double known_variance(const process *p, const prepared *own, double *cross)
{
    double sum = 0.0;
    if (!p->known) {
        solve_lower(own->L, p->n, cross);
        return sum_of_products(cross, cross, p->n);
    }
    for (int i = 0; i < p->n; i++) {
        double part = sum_of_products(p->known + row_of(i), cross, i + 1);
        sum += part * part;
    }
    return sum;
}

/* `below` is null unless the process is what a multiple of it leaves. */
static int evaluate_draws(const process *p, const double *u, const double *below, member *out,
                          workspace *work)
{
    double *z = work->inputs + MAX_INPUTS, *cross = work->cross;
    for (int draw = 0; draw < p->k; draw++) {
        const prepared *own = draws + p->first + draw;
        see(p, draw, u, z);
        for (int i = 0; i < p->n; i++)
            cross[i] = covariance(p, draw, z, p->group, own->Z + i * p->d, (int)p->groups[i]);
        double mean = sum_of_products(cross, own->alpha, p->n) + p->means[draw * p->g + p->group];
        double left = 0.0;
        if (below)
            left = *below - p->y_scale * sum_of_products(p->slopes + draw * p->n, cross, p->n);
        double variance = own->prior - known_variance(p, own, cross);
        out[draw].weight = p->weights[draw];
        out[draw].mean = p->y_mean + p->y_scale * mean;
        out[draw].variance = fmax(variance, 1e-13 * own->prior) * p->y_scale * p->y_scale;
        out[draw].variance += p->extra;
        out[draw].of = NULL;
        if (below) {
            out[draw].mean += p->corrections[draw] * left;
            out[draw].variance += p->factor_vars[draw] * left * left;
        }
    }
    return p->k;
}

static int evaluate_process(const process *p, const double *u, member *out, workspace *work)
{
    return evaluate_draws(p, u, NULL, out, work);
}

/* Mean and variance of those members that have a transformation, before it is undone. */
static void moments_before(const member *all, int count, const response *of, double *mean,
                           double *variance)
{
    double total = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < count; i++)
        if (all[i].of == of) {
            total += all[i].weight;
            first += all[i].weight * all[i].mean;
        }
    first /= total;
    for (int i = 0; i < count; i++)
        if (all[i].of == of) {
            double away = all[i].mean - first;
            second += all[i].weight * (all[i].variance + away * away);
        }
    *mean = first;
    *variance = second / total;
}

static double summary(int column, double mean, double variance, double reach)
{
    switch (column) {
    case 0: return mean;
    case 1: return sqrt(variance);
    case 2: return variance;
    case 3: return mean - reach * sqrt(variance);
    default: return mean + reach * sqrt(variance);
    }
}

static void one_normal(member *out, double mean, double variance)
{
    member only = {1.0, mean, variance, NULL};
    out[0] = only;
}

static int evaluate_stages(const node *own, const double *u, member *out, workspace *work)
{
    double mean = 0.0, variance = 0.0;
    int d = own->of[0]->process->d;
    for (int i = 0; i < own->count; i++) {
        double told_mean, told_variance;
        for (int t = 0; t < d; t++)
            work->inputs[t] = u[t];
        for (int t = 0; i > 0 && t < own->n_columns; t++) {
            const double *low = own->numbers + (i - 1) * 2 * own->n_columns;
            double told = summary(own->columns[t], mean, variance, own->factor);
            work->inputs[d + t] = (told - low[t]) / low[own->n_columns + t];
        }
        int count = evaluate_process(own->of[i]->process, work->inputs, out, work);
        moments_before(out, count, NULL, &told_mean, &told_variance);
        mean = told_mean + (own->adds_means ? mean : 0.0);
        variance = told_variance + (own->adds_variances ? variance : 0.0);
    }
    one_normal(out, mean, variance);
    return 1;
}

/* Each level is a factor times the one below, plus something of its own. */
static int evaluate_levels(const node *own, const double *u, member *out, workspace *work)
{
    double mean = 0.0, variance = 0.0;
    int top = own->count - 1;
    for (int i = 0; i < top; i++) {
        double own_mean, own_variance, factor = i ? own->numbers[i - 1] : 0.0;
        int count = evaluate_process(own->of[i]->process, u, out, work);
        moments_before(out, count, NULL, &own_mean, &own_variance);
        mean = own_mean + factor * mean;
        variance = own_variance + factor * factor * variance;
    }
    double last = own->numbers[top - 1];
    int count = evaluate_draws(own->of[top]->process, u, &mean, out, work);
    for (int i = 0; i < count; i++) {
        out[i].mean += last * mean;
        out[i].variance += last * last * variance;
    }
    return count;
}

static int evaluate_fused(const node *own, const double *u, member *out, workspace *work)
{
    double total = 0.0, sum = 0.0;
    for (int i = 0; i < own->count; i++) {
        double mean, variance;
        int count = evaluate_process(own->of[i]->process, u, out, work);
        moments_before(out, count, NULL, &mean, &variance);
        total += 1.0 / (variance + own->numbers[i]);
        sum += mean / (variance + own->numbers[i]);
    }
    one_normal(out, sum / total, 1.0 / total);
    return 1;
}

/* Members as far away from their mean, and as wide, as `factor` says. */
static void dilate(member *all, int count, double factor)
{
    for (int r = 0; r <= N_RESPONSES; r++) {
        const response *of = r ? responses + r - 1 : NULL;
        double mean, variance;
        moments_before(all, count, of, &mean, &variance);
        for (int i = 0; i < count; i++)
            if (all[i].of == of) {
                all[i].mean = mean + factor * (all[i].mean - mean);
                all[i].variance *= factor * factor;
            }
    }
}

static int evaluate(const node *own, const double *u, member *out, workspace *work)
{
    int count = 0;
    switch (own->kind) {
    case PROCESS:
        return evaluate_process(own->process, u, out, work);
    case LEVELS:
        return evaluate_levels(own, u, out, work);
    case STAGES:
        return evaluate_stages(own, u, out, work);
    case FUSED:
        return evaluate_fused(own, u, out, work);
    case TRANSFORMED:
        count = evaluate(own->of[0], u, out, work);
        for (int i = 0; i < count; i++)
            out[i].of = own->response;
        return count;
    case DILATED:
        count = evaluate(own->of[0], u, out, work);
        dilate(out, count, own->factor);
        return count;
    default:
        for (int i = 0; i < own->count; i++) {
            int more = evaluate(own->of[i], u, out + count, work);
            for (int j = 0; j < more; j++)
                out[count + j].weight *= own->numbers[i];
            count += more;
        }
        return count;
    }
}

/* ------------------------------------------------------------------ transformed responses */

static double box_cox(double x, double power)
{
    return power == 0.0 ? log(x) : expm1(power * log(x)) / power;
}

static double inverse_box_cox(double x, double power)
{
    return power == 0.0 ? exp(x) : exp(log1p(power * x) / power);
}

static double forward(const response *of, double y)
{
    if (!of)
        return y;
    if (of->form == LOGARITHM)
        return log(fmax(y, 0.0));
    double u = (y - of->centre) / of->scale;
    if (of->form == BOUNDED) {
        u = fmin(fmax(u, 0.0), 1.0);
        return log(u) - log1p(-u);
    }
    return box_cox(1.0 + fmax(u, 0.0), of->power) - box_cox(1.0 + fmax(-u, 0.0), 2.0 - of->power);
}

static double backward(const response *of, double z)
{
    if (!of)
        return z;
    if (of->form == LOGARITHM)
        return exp(fmin(z, of->largest));
    if (of->form == BOUNDED)
        return of->centre + of->scale / (1.0 + exp(-z));
    z = fmin(fmax(z, -of->largest), of->largest);
    double above = inverse_box_cox(fmax(z, 0.0), of->power);
    return of->centre + of->scale * (above - inverse_box_cox(fmax(-z, 0.0), 2.0 - of->power));
}

/* Mean of y and of its square for one member. */
static void moments_of(const member *own, double *first, double *second)
{
    const response *of = own->of;
    if (of->form == LOGARITHM) {
        *first = backward(of, own->mean + 0.5 * own->variance);
        *second = backward(of, 2.0 * (own->mean + own->variance));
        return;
    }
    *first = *second = 0.0;
    for (int i = 0; i < of->n_nodes; i++) {
        double y = backward(of, own->mean + of->nodes[i] * sqrt(own->variance));
        *first += of->node_weights[i] * y;
        *second += of->node_weights[i] * y * y;
    }
}

/* ------------------------------------------------------------------ the distribution as a whole */

static void moments_after(const member *all, int count, const response *of, double *share,
                          double *mean, double *variance)
{
    double first = 0.0, second = 0.0;
    *share = 0.0;
    for (int i = 0; i < count; i++)
        if (all[i].of == of)
            *share += all[i].weight;
    if (!of) {
        moments_before(all, count, of, mean, variance);
        return;
    }
    for (int i = 0; i < count; i++)
        if (all[i].of == of) {
            double one, two;
            moments_of(all + i, &one, &two);
            first += all[i].weight / *share * one;
            second += all[i].weight / *share * two;
        }
    *mean = first;
    *variance = fmax(second - first * first, 0.0);
}

static void moments(const member *all, int count, double *mean, double *variance)
{
    double shares[N_RESPONSES + 1], means[N_RESPONSES + 1], variances[N_RESPONSES + 1];
    *mean = *variance = 0.0;
    for (int r = 0; r <= N_RESPONSES; r++) {
        const response *of = r ? responses + r - 1 : NULL;
        moments_after(all, count, of, shares + r, means + r, variances + r);
        if (shares[r] > 0.0)
            *mean += shares[r] * means[r];
    }
    for (int r = 0; r <= N_RESPONSES; r++)
        if (shares[r] > 0.0) {
            double away = means[r] - *mean;
            *variance += shares[r] * (variances[r] + away * away);
        }
}

static double probability_of_less(const member *all, int count, double y)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        double z = (forward(all[i].of, y) - all[i].mean) / sqrt(all[i].variance);
        sum += all[i].weight * 0.5 * erfc(-z * 0.70710678118654752440);
    }
    return sum;
}

/* The quantile of a mixture lies between those of its members, z standard deviations away. */
static double quantile(const member *all, int count, double q, double z)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        double own = backward(all[i].of, all[i].mean + z * sqrt(all[i].variance));
        low = fmin(low, own);
        high = fmax(high, own);
    }
    for (int i = 0; i < 200 && high - low > 1e-15 * (fabs(low) + fabs(high)); i++) {
        double middle = 0.5 * (low + high);
        if (probability_of_less(all, count, middle) < q)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static double to_unit(const input *own, double x)
{
    double low = own->low, high = own->high;
    if (!(high > low))
        return 0.5;
    if (own->is_log) {
        x = log(x);
        low = log(low);
        high = log(high);
    }
    return fmin(fmax((x - low) / (high - low), -1e6), 1e6);
}
